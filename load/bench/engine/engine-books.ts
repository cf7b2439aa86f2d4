import { OrderBook as HftOrderBook } from "hft-limit-order-book";
import { OrderBook as NodejsOrderBook } from "nodejs-order-book";
import type { Operation, OperationFile } from "./engine-operations.ts";

/** A book that plays operations. Inputs are prepared before the measured time. */
export type Player = {
  /** Plays the operations of this range. */
  readonly play: (from: number, to: number) => void;
  /** Lots left in the book, to check that all books agree. */
  readonly lotsLeft: () => number;
};

export type Prepare = (file: OperationFile) => Player;

export const nodejsOrderBook: Prepare = (file) => rivalPlayer(new NodejsOrderBook() as unknown as Rival, file);
export const hftLimitOrderBook: Prepare = (file) => rivalPlayer(new HftOrderBook() as unknown as Rival, file);

export function allOperations({ before, measured }: OperationFile): readonly Operation[] {
  return [...before, ...measured];
}

type Rival = {
  readonly limit: (order: object) => unknown;
  readonly market: (order: object) => unknown;
  readonly cancel: (id: string) => unknown;
  readonly depth: () => [[number, number][], [number, number][]];
};

function rivalPlayer(book: Rival, file: OperationFile): Player {
  const steps = allOperations(file).map((operation, index) => {
    if (operation.kind === "cancel") return `o${operation.of}`;
    const { side, lots: size } = operation;
    return operation.kind === "limit" ? { id: `o${index}`, side, size, price: operation.ticks } : { side, size };
  });
  return {
    play(from, to) {
      for (let next = from; next < to; next++) {
        const step = steps[next];
        if (typeof step === "string") book.cancel(step);
        else if (step !== undefined && "id" in step) book.limit(step);
        else if (step !== undefined) book.market(step);
      }
    },
    lotsLeft: () =>
      book
        .depth()
        .flat()
        .reduce((sum, [, size]) => sum + size, 0),
  };
}
