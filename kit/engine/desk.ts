import type { OrderRow, TradeRow } from "../../origin/engine/changes.ts";
import type { Command, PlaceOrder } from "../../origin/engine/command.ts";
import { createEngine, type Engine } from "../../origin/engine/engine.ts";
import type { EngineBounds } from "../../origin/engine/limits.ts";
import type { Outcome } from "../../origin/engine/outcome.ts";
import type { PairTerms } from "../../origin/engine/terms.ts";

/** A small venue for tests: one pair, one tick times one lot is one step of the quote currency, no fees by default. */
export type Desk = ReturnType<typeof openDesk>;

/** Omit over each member of a union. */
type Body<Whole> = Whole extends unknown ? Omit<Whole, "id" | "at"> : never;

export const PLAIN_TERMS: PairTerms = {
  pair: "gemidr",
  baseCurrency: "gem",
  quoteCurrency: "idr",
  tickSteps: 1n,
  lotSteps: 1n,
  valueStepsMin: 0n,
  makerFeePpm: 0,
  takerFeePpm: 0,
  state: "trading",
  opensAt: 0,
  freezeMs: 0,
  bandPpm: 0,
};

const RICH = 1_000_000_000n;

export function openDesk({
  terms = {},
  bounds = {},
}: {
  terms?: Partial<PairTerms>;
  bounds?: Partial<EngineBounds>;
} = {}) {
  const engine: Engine = createEngine({ openOrdersMax: 50_000, ...bounds });
  let at = 1_790_000_000_000;
  let commands = 0;

  function apply(body: Body<Command>): Outcome {
    commands++;
    return engine.apply({ id: `${at}-${commands}-0`, at, ...body } as Command);
  }

  function place(user: string, side: "buy" | "sell", order: Partial<PlaceOrder> & { readonly lots?: number }): Outcome {
    const type = order.ticks === undefined ? "market" : "limit";
    const rest = {
      quoteAmount: 0n,
      timeInForce: "GTC",
      postOnly: false,
      selfTrade: "cancelNewest",
      clientOrderId: "",
    } as const;
    const grid = engine.pair("gemidr")?.grid ?? 0;
    return apply({
      kind: "place",
      user,
      pair: "gemidr",
      grid,
      side,
      type,
      ticks: 0,
      lots: 0,
      ...rest,
      openOrdersMax: 100_000,
      ...order,
    });
  }

  apply({ kind: "setCurrency", currency: "gem", scale: 0 });
  apply({ kind: "setCurrency", currency: "idr", scale: 0 });
  apply({ kind: "setPair", terms: { ...PLAIN_TERMS, ...terms } });
  for (const user of ["ann", "bob", "cid"]) {
    for (const currency of ["gem", "idr"]) apply({ kind: "deposit", user, currency, amount: RICH, reference: "" });
  }
  engine.takeChanges();

  return {
    engine,
    apply,
    place,
    /** The order after it was accepted; fails if it was rejected. */
    placed(user: string, side: "buy" | "sell", order: Partial<PlaceOrder>): OrderRow {
      return taken(place(user, side, order)).order;
    },
    trades: (user: string, side: "buy" | "sell", order: Partial<PlaceOrder>): readonly TradeRow[] =>
      taken(place(user, side, order)).trades,
    cancel: (user: string, orderId: number) => apply({ kind: "cancel", user, orderId, clientOrderId: "" }),
    configure: (changed: Partial<PairTerms>) =>
      apply({ kind: "setPair", terms: { ...PLAIN_TERMS, ...terms, ...changed } }),
    wait(ms: number) {
      at += ms;
    },
    available: (user: string, currency: string) => engine.balance(user, currency).available,
    frozen: (user: string, currency: string) => engine.balance(user, currency).frozen,
  };
}

function taken(outcome: Outcome): Extract<Outcome, { kind: "order" }> {
  if (outcome.kind !== "order") throw new Error(`not taken: ${JSON.stringify(outcome)}`);
  return outcome;
}

export function rejected(code: string): { readonly kind: "rejected"; readonly code: string } {
  return { kind: "rejected", code };
}
