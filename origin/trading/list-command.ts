import { fail, ok, type Result } from "../../shared/result.ts";
import type { ListOrder, PlaceList, PlaceOrder } from "../engine/command.ts";
import type { KnownPair } from "../instruments/grid.ts";
import type { NewLeg, NewList, NewListOrder } from "./list-port.ts";
import { orderCommand } from "./order-command.ts";
import type { NewOrder, TradingFault } from "./trading-port.ts";

type Terms = { readonly pair: KnownPair; readonly user: string; readonly openOrdersMax: number };
type Part = "working" | "pending" | "above" | "below";
/** An order of the list, as if it were placed by itself. */
type ListPart = { readonly part: Part; readonly order: NewOrder };

/** The pair of a list, which its working order may name instead; undefined if none is named. */
export function pairOfList(list: NewList): string | undefined {
  return list.type === "oco" ? list.pair : (list.pair ?? list.working.pair);
}

/** A list as a command in the pair's ticks and lots, or every field that is invalid, as in `above.price`. */
export function listCommand(list: NewList, terms: Terms): Result<PlaceList, readonly TradingFault[]> {
  const { pair, user, openOrdersMax } = terms;
  const orders: ListOrder[] = [];
  const faults: TradingFault[] = [];
  for (const { part, order } of partsOf(list, pair.pair)) {
    if (order.pair !== pair.pair)
      faults.push({ field: `${part}.pair`, rule: "unsupported", message: "must be the pair of the list" });
    const command = orderCommand(order, terms);
    if (command.ok) orders.push(listOrder(command.value));
    else faults.push(...command.reason.map((fault) => ({ ...fault, field: fieldIn(list, part, fault.field) })));
  }
  if (faults.length > 0) return fail(faults);
  const head = { user, pair: pair.pair, grid: pair.grid, openOrdersMax };
  return ok({ kind: "placeList", ...head, list: list.type, clientListId: list.clientListId ?? "", orders });
}

/** In the order of the command. */
function partsOf(list: NewList, pair: string): readonly ListPart[] {
  switch (list.type) {
    case "oco":
      return [legOf("above", list.above, list), legOf("below", list.below, list)];
    case "oto":
      return [partOf("working", list.working, pair), partOf("pending", list.pending, pair)];
    case "otoco": {
      const { side = list.working.side === "buy" ? "sell" : "buy", quantity = list.working.quantity } = list;
      const legs = { pair, side, quantity };
      return [
        partOf("working", list.working, pair),
        legOf("above", list.above, legs),
        legOf("below", list.below, legs),
      ];
    }
  }
}

const partOf = (part: Part, order: NewListOrder, pair: string): ListPart => ({
  part,
  order: { ...order, pair: order.pair ?? pair },
});

/** A limit order of two that exclude each other only ever makes: it must not trade when it is placed. */
function legOf(
  part: Part,
  leg: NewLeg,
  { pair, side, quantity }: { readonly pair: string } & Pick<NewOrder, "side" | "quantity">,
): ListPart {
  const postOnly = leg.type === "limit" ? true : leg.postOnly;
  return { part, order: { ...leg, pair: leg.pair ?? pair, side, quantity, postOnly } };
}

function listOrder({ kind, user, pair, grid, openOrdersMax, ...order }: PlaceOrder): ListOrder {
  return order;
}

/** Side and quantity of an order can be those of the list itself. */
function fieldIn(list: NewList, part: Part, field: string): string {
  const isOfList = field === "quantity" && (part === "above" || part === "below");
  if (!isOfList) return `${part}.${field}`;
  return list.type === "otoco" && list.quantity === undefined ? "working.quantity" : "quantity";
}
