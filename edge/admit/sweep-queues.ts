import { parseQueueId } from "../../shared/queue-id.ts";
import { openRegistry } from "../line/registry.ts";
import { log } from "../request/log.ts";
import type { Gate } from "./open-gate.ts";
import { backgroundLineOf } from "./open-gate.ts";
import { sweepAll } from "./sweeps.ts";

const AT_ONCE_MAX = 8;

/** Sweeps every queue there is, a few at a time. One that fails does not hold up the others. */
export async function sweepQueues(gate: Pick<Gate, "store" | "fillRandom">): Promise<void> {
  const registry = openRegistry(gate.store.once);
  const { queueIds } = await registry.readDirectory();
  const remaining = [...queueIds];

  async function sweepNext(): Promise<void> {
    for (let id = remaining.pop(); id !== undefined; id = remaining.pop()) await sweepOne(id);
  }

  async function sweepOne(id: string): Promise<void> {
    const queueId = parseQueueId(id);
    if (!queueId.ok) return;
    try {
      const record = await registry.readQueue(id);
      if (record !== undefined)
        await sweepAll(backgroundLineOf({ gate, queueId: queueId.value, settings: record.settings }));
    } catch (error) {
      log("warn", "cannot sweep a queue", { queueId: id, error });
    }
  }

  await Promise.all(Array.from({ length: AT_ONCE_MAX }, sweepNext));
}
