import type { Command } from "../../../origin/engine/command.ts";
import { createEngine, type Engine } from "../../../origin/engine/engine.ts";
import { assert } from "../../../shared/assert.ts";
import { allOperations, type Prepare } from "./engine-books.ts";
import type { Operation, OperationFile } from "./engine-operations.ts";

/**
 * The engine as a venue runs it: balances, fees, an outcome for every command, and the changes of every batch as rows.
 */
export const wholeEngine: Prepare = (file) => {
  const commands = commandsOf(file);
  const engine = openEngine();
  let rowsSeen = 0;
  return {
    play(from, to) {
      for (let next = from; next < to; next++) {
        engine.apply(commands[next] as Command);
        if (next % BATCH === 0) rowsSeen += engine.takeChanges().orders.length;
      }
      rowsSeen += engine.takeChanges().orders.length;
    },
    lotsLeft() {
      assert(rowsSeen > 0, "the changes are read, or the compiler could drop them");
      return lotsLeftIn(engine, commands.length);
    },
  };
};

/** The batch of a busy committer. */
export const BATCH = 256;
const USERS = 500;
/** Enough for the files. The venue's bound reserves so much memory that creating engines would be measured. */
const OPEN_ORDERS_MAX = 2 ** 17;
export const PAIR = "btcidr";
export const AT_MS = 1_790_000_000_000;

export function openEngine(): Engine {
  const engine = createEngine({ openOrdersMax: OPEN_ORDERS_MAX });
  const head = { id: "0-0-0", at: AT_MS };
  const fees = { makerFeePpm: 1_000, takerFeePpm: 2_000 };
  const grid = { tickSteps: 100_000n, lotSteps: 1_000n, valueStepsMin: 1n };
  engine.apply({ ...head, kind: "setCurrency", currency: "btc", scale: 8 });
  engine.apply({ ...head, kind: "setCurrency", currency: "idr", scale: 2 });
  const terms = {
    pair: PAIR,
    baseCurrency: "btc",
    quoteCurrency: "idr",
    ...grid,
    ...fees,
    state: "trading",
    opensAt: 0,
    freezeMs: 0,
    bandPpm: 0,
  } as const;
  engine.apply({ ...head, kind: "setPair", terms });
  for (let user = 0; user < USERS; user++) {
    engine.apply({
      ...head,
      kind: "deposit",
      user: userOf("buy", user),
      currency: "idr",
      amount: 2n ** 50n,
      reference: "",
    });
    engine.apply({
      ...head,
      kind: "deposit",
      user: userOf("sell", user),
      currency: "btc",
      amount: 2n ** 50n,
      reference: "",
    });
  }
  engine.takeChanges();
  return engine;
}

/** Buyers and sellers are different users: the libraries have no self-trade prevention. */
function userOf(side: "buy" | "sell", index: number): string {
  return `${side}er-${index % USERS}`;
}

export function commandsOf(file: OperationFile): readonly Command[] {
  const known = commandsByFile.get(file) ?? learnCommands(allOperations(file));
  commandsByFile.set(file, known);
  return known;
}

const commandsByFile = new WeakMap<OperationFile, readonly Command[]>();

/** Plays the operations once to learn the ids that the engine assigns. */
function learnCommands(operations: readonly Operation[]): readonly Command[] {
  const engine = openEngine();
  const commands: Command[] = [];
  const idOf = new Map<number, number>();
  operations.forEach((operation, index) => {
    const command = commandFor(operation, { operations, index, idOf });
    const outcome = engine.apply(command);
    if (outcome.kind === "order") idOf.set(index, outcome.order.id);
    engine.takeChanges();
    commands.push(command);
  });
  return commands;
}

type Place = {
  readonly operations: readonly Operation[];
  readonly index: number;
  readonly idOf: ReadonlyMap<number, number>;
};

function commandFor(operation: Operation, { operations, index, idOf }: Place): Command {
  const placedAt = operation.kind === "cancel" ? operation.of : index;
  const placed = operations[placedAt];
  assert(placed !== undefined && placed.kind !== "cancel", "an order is cancelled, not a cancel");
  const head = { id: `${AT_MS}-${index}-0`, at: AT_MS + index, user: userOf(placed.side, placedAt) };
  if (operation.kind === "cancel")
    return { ...head, kind: "cancel", orderId: idOf.get(placedAt) ?? 0, clientOrderId: "" };
  const { kind: type, side, lots } = operation;
  const ticks = operation.kind === "limit" ? operation.ticks : 0;
  const rest = {
    quoteAmount: 0n,
    timeInForce: "GTC",
    postOnly: false,
    selfTrade: "cancelNewest",
    clientOrderId: "",
  } as const;
  return { ...head, kind: "place", pair: PAIR, grid: 1, side, type, ticks, lots, ...rest, openOrdersMax: 1_000_000 };
}

function lotsLeftIn(engine: Engine, orders: number): number {
  let lots = 0;
  for (let id = 1; id <= orders; id++) {
    const order = engine.order(id);
    if (order !== undefined) lots += order.lots - order.filledLots;
  }
  return lots;
}
