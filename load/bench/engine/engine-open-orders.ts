import type { Random } from "../../../kit/random.ts";

/** The open orders while operations are drawn, kept in a simple way: this is not measured. */
export type OpenOrders = {
  readonly add: (order: OpenOrder) => void;
  /** Matches against the open orders; returns the remaining lots. */
  readonly trade: (order: Omit<OpenOrder, "place">) => number;
  /** Removes a random open order and returns its place. */
  readonly takeAny: (random: Random) => number | undefined;
};

type OpenOrder = { readonly place: number; readonly side: "buy" | "sell"; readonly ticks: number; lots: number };

export function createOpenOrders({
  midTicks,
  rangeTicks,
}: {
  readonly midTicks: number;
  readonly rangeTicks: number;
}): OpenOrders {
  const levels = { buy: levelsOf(rangeTicks), sell: levelsOf(rangeTicks) };
  /** Unordered; a removed order is replaced by the last. */
  const open: OpenOrder[] = [];
  const where = new Map<OpenOrder, number>();
  const levelOf = ({ side, ticks }: Pick<OpenOrder, "side" | "ticks">) =>
    levels[side][ticks - midTicks + rangeTicks] ?? [];

  function forget(order: OpenOrder): void {
    const index = where.get(order) ?? 0;
    const last = open.pop();
    where.delete(order);
    if (last === undefined || last === order) return;
    open[index] = last;
    where.set(last, index);
  }

  return {
    add(order) {
      levelOf(order).push(order);
      where.set(order, open.length);
      open.push(order);
    },
    trade({ side, ticks, lots }) {
      let left = lots;
      const step = side === "buy" ? 1 : -1;
      const others = side === "buy" ? "sell" : "buy";
      for (let price = midTicks - step * rangeTicks; (ticks - price) * step >= 0 && left > 0; price += step) {
        const level = levelOf({ side: others, ticks: price });
        while (left > 0 && level[0] !== undefined) {
          const taken = Math.min(left, level[0].lots);
          level[0].lots -= taken;
          left -= taken;
          if (level[0].lots === 0) forget(level.shift() as OpenOrder);
        }
      }
      return left;
    },
    takeAny(random) {
      const order = open[random.between(0, open.length - 1)];
      if (order === undefined) return undefined;
      forget(order);
      const level = levelOf(order);
      level.splice(level.indexOf(order), 1);
      return order.place;
    },
  };
}

function levelsOf(rangeTicks: number): OpenOrder[][] {
  return Array.from({ length: rangeTicks * 2 + 1 }, () => []);
}
