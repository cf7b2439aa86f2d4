import { OrderBook as HftOrderBook } from "hft-limit-order-book";
import { OrderBook as NodejsOrderBook } from "nodejs-order-book";
import type { Command } from "../../origin/engine/command.ts";
import { createEngine, type Engine } from "../../origin/engine/engine.ts";
import { assert } from "../../shared/assert.ts";
import type { Operation } from "./engine-operations.ts";

/** A book that operations can be played to. What it needs to know of them is prepared before, outside of the measured time. */
export type Player = {
  readonly play: () => void;
  /** Lots left in the book, to see that all books come to the same. */
  readonly lotsLeft: () => number;
};

type Prepare = (operations: readonly Operation[]) => Player;

/** As a venue runs it: balances, fees, outcomes, and the changes of every batch as rows. */
export const engineWithEverything: Prepare = (operations) => {
  const commands = commandsOf(operations);
  const engine = openEngine();
  let tradesSeen = 0;
  return {
    play() {
      for (let next = 0; next < commands.length; next++) {
        engine.apply(commands[next] as Command);
        if (next % BATCH === BATCH - 1) tradesSeen += engine.takeChanges().trades.length;
      }
      tradesSeen += engine.takeChanges().trades.length;
    },
    lotsLeft() {
      assert(
        tradesSeen > 0 || operations.every(({ kind }) => kind !== "market"),
        "somebody looks at the changes, or they might not be made",
      );
      return lotsLeftIn(engine, operations.length);
    },
  };
};

const BATCH = 256;

export const nodejsOrderBook: Prepare = (operations) => rivalPlayer(new NodejsOrderBook() as unknown as Rival, operations);
export const hftLimitOrderBook: Prepare = (operations) => rivalPlayer(new HftOrderBook() as unknown as Rival, operations);

type Rival = {
  readonly limit: (order: object) => unknown;
  readonly market: (order: object) => unknown;
  readonly cancel: (id: string) => unknown;
  readonly depth: () => [[number, number][], [number, number][]];
};

function rivalPlayer(book: Rival, operations: readonly Operation[]): Player {
  const steps = operations.map((operation, index) => {
    if (operation.kind === "cancel") return `o${operation.of}`;
    const { side, lots: size } = operation;
    return operation.kind === "limit" ? { id: `o${index}`, side, size, price: operation.ticks } : { side, size };
  });
  return {
    play() {
      for (const step of steps) {
        if (typeof step === "string") book.cancel(step);
        else if ("id" in step) book.limit(step);
        else book.market(step);
      }
    },
    lotsLeft: () =>
      book
        .depth()
        .flat()
        .reduce((sum, [, size]) => sum + size, 0),
  };
}

const USERS = 500;
const PAIR = "btcidr";
const AT_MS = 1_790_000_000_000;

function openEngine(): Engine {
  const engine = createEngine();
  const head = { id: "0-0-0", at: AT_MS };
  const fees = { makerFeePpm: 1_000, takerFeePpm: 2_000 };
  const grid = { tickSteps: 100_000n, lotSteps: 1_000n, valueStepsMin: 1n };
  engine.apply({ ...head, kind: "setCurrency", currency: "btc", scale: 8 });
  engine.apply({ ...head, kind: "setCurrency", currency: "idr", scale: 2 });
  const terms = { pair: PAIR, baseCurrency: "btc", quoteCurrency: "idr", ...grid, ...fees, isTrading: true, bandPpm: 0 };
  engine.apply({ ...head, kind: "setPair", terms });
  for (let user = 0; user < USERS; user++) {
    engine.apply({ ...head, kind: "deposit", user: userOf("buy", user), currency: "idr", amount: 2n ** 50n, reference: "" });
    engine.apply({ ...head, kind: "deposit", user: userOf("sell", user), currency: "btc", amount: 2n ** 50n, reference: "" });
  }
  engine.takeChanges();
  return engine;
}

/** Buyers and sellers are different people: the others know nothing of self-trade prevention. */
function userOf(side: "buy" | "sell", index: number): string {
  return `${side}er-${index % USERS}`;
}

/** Which id an order gets is known once it was placed: the operations are played once to learn them. */
function commandsOf(operations: readonly Operation[]): readonly Command[] {
  const known = commandsByOperations.get(operations) ?? learnCommands(operations);
  commandsByOperations.set(operations, known);
  return known;
}

const commandsByOperations = new WeakMap<readonly Operation[], readonly Command[]>();

function learnCommands(operations: readonly Operation[]): readonly Command[] {
  const engine = openEngine();
  const commands: Command[] = [];
  const idOf = new Map<number, number>();
  operations.forEach((operation, index) => {
    const placed = operation.kind === "cancel" ? operations[operation.of] : operation;
    assert(placed !== undefined && placed.kind !== "cancel", "an order is cancelled, not a cancel");
    const user = userOf(placed.side, operation.kind === "cancel" ? operation.of : index);
    const head = { id: `${AT_MS}-${index}-0`, at: AT_MS + index, user };
    const command: Command =
      operation.kind === "cancel"
        ? { ...head, kind: "cancel", orderId: idOf.get(operation.of) ?? 0, clientOrderId: "" }
        : { ...head, ...orderOf(operation) };
    const outcome = engine.apply(command);
    if (outcome.kind === "order") idOf.set(index, outcome.order.id);
    engine.takeChanges();
    commands.push(command);
  });
  return commands;
}

function orderOf(operation: Exclude<Operation, { kind: "cancel" }>) {
  return {
    kind: "place",
    pair: PAIR,
    grid: 1,
    side: operation.side,
    type: operation.kind,
    ticks: operation.kind === "limit" ? operation.ticks : 0,
    lots: operation.lots,
    quoteAmount: 0n,
    timeInForce: "GTC",
    postOnly: false,
    selfTrade: "cancelNewest",
    clientOrderId: "",
    openOrdersMax: 1_000_000,
  } as const;
}

function lotsLeftIn(engine: Engine, orders: number): number {
  let lots = 0;
  for (let id = 1; id <= orders; id++) {
    const order = engine.order(id);
    if (order !== undefined) lots += order.lots - order.filledLots;
  }
  return lots;
}
