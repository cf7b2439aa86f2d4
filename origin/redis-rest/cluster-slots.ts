import { Command as RedisCommand } from "ioredis";
import type { Command } from "./command.ts";

/** The hash slots that a transaction's keys lie in; a cluster can run it only when there is one. */
export function transactionSlots(commands: readonly Command[]): ReadonlySet<number> {
  const slots = new Set<number>();
  for (const [name, ...args] of commands) {
    const command = new RedisCommand(
      name,
      args.map((argument) => (Buffer.isBuffer(argument) ? argument : String(argument))),
    );
    for (const key of command.getKeys()) {
      const slot = new RedisCommand("GET", [key]).getSlot();
      if (slot !== null) slots.add(slot);
    }
  }
  return slots;
}
