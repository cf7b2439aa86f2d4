import type { Redis } from "ioredis";
import { assert } from "../../../shared/assert.ts";
import type { PrivateChannel } from "../../../shared/live/channel-names.ts";
import type { BalanceRow, OrderRow } from "../../engine/changes.ts";
import { stepsOf } from "../../instruments/amounts.ts";
import { feeCurrencyOf } from "../../instruments/grid.ts";
import type { Grids } from "../../instruments/grids.ts";
import { replies } from "../../redis/pipeline.ts";
import { openOrdersKey, orderKey, userTradesKey, walletKey } from "../../state/keys.ts";
import { readPosition } from "../../state/load-state.ts";
import { isOpenStatus, type OrderHash, restingOrder } from "../../state/order-writes.ts";
import type { Fill } from "../../trading/trading-port.ts";
import { fillOf, orderOf } from "../../trading/views.ts";
import type { LiveMemory } from "./live-memory.ts";
import { type LivePositions, readPositions } from "./live-positions.ts";
import { balanceOf, type UserRows } from "./user-rows.ts";

/**
 * The state of a private channel for its snapshot, read from the projection while that continues. A row may be from any
 * moment between the position before the reading and the one after it. Rows are absolute, so absorbing the journal's
 * entries after `from` makes the state exact at every entry from `exactFrom` on.
 */
export type PrivateSnapshot = {
  readonly from: number;
  readonly exactFrom: number;
  readonly absorb: (rows: UserRows, memory: Shown) => void;
  /** Of `positions`: they continue after the snapshot. */
  readonly positions?: LivePositions;
  /** The data of the message, as JSON. */
  readonly show: (memory: Shown) => string;
};

type Shown = Pick<LiveMemory, "grids" | "pairs" | "market">;
type State = Pick<PrivateSnapshot, "absorb" | "show">;

/** Fills in a snapshot; older ones are at `GET /trades`. */
const FILLS_SHOWN = 50;

type Wanted = { readonly channel: PrivateChannel; readonly user: string };

export async function readSnapshot(redis: Redis, { channel, user }: Wanted): Promise<PrivateSnapshot> {
  if (channel === "positions") return positionsSnapshot(await readPositions(redis, user));
  const before = await readPosition(redis);
  const state = await readState[channel](redis, user);
  const after = await readPosition(redis);
  return { ...state, from: before.position.sequence, exactFrom: after.position.sequence };
}

function positionsSnapshot(positions: LivePositions): PrivateSnapshot {
  return {
    ...{ from: positions.sequence, exactFrom: positions.sequence, positions },
    absorb: (rows, memory) => void positions.absorb(rows, memory),
    show: (memory) => JSON.stringify({ positions: positions.show("all", memory) }),
  };
}

/** Rows are interpreted when they are shown: by then the hub knows every pair and currency in them. */
const readState: Record<Exclude<PrivateChannel, "positions">, (redis: Redis, user: string) => Promise<State>> = {
  async orders(redis, user) {
    const ids = await redis.zrange(openOrdersKey(user), "0", "-1");
    const pipeline = redis.pipeline();
    for (const id of ids) pipeline.hgetall(orderKey(Number(id)));
    const stored = ids.length === 0 ? [] : ((await replies(pipeline)) as readonly OrderHash[]);
    const changed = new Map<number, OrderRow>();
    return {
      absorb(rows) {
        for (const order of rows.orders) changed.set(order.id, order);
      },
      show({ grids }) {
        const orders = stored.map((hash) => restingOrder(hash, grids)).filter((order) => order !== undefined);
        const latest = new Map([...orders.map((order) => [order.id, order] as const), ...changed]);
        const open = [...latest.values()].filter(({ status }) => isOpenStatus(status)).sort((a, b) => b.id - a.id);
        return JSON.stringify({ orders: open.map((order) => orderOf(order, grids.of(order.pair, order.grid))) });
      },
    };
  },

  async balances(redis, user) {
    const wallet = Object.entries(await redis.hgetall(walletKey(user)));
    const changed = new Map<string, BalanceRow>();
    return {
      absorb(rows) {
        for (const balance of rows.balances) changed.set(balance.currency, balance);
      },
      show({ grids }) {
        const stored = wallet.map(
          ([currency, text]) => [currency, storedBalance({ user, currency, text }, grids)] as const,
        );
        const latest = [...new Map([...stored, ...changed]).values()];
        const sorted = latest.sort((a, b) => (a.currency < b.currency ? -1 : 1));
        return JSON.stringify({ balances: sorted.map((balance) => balanceOf(balance, grids)) });
      },
    };
  },

  async trades(redis, user) {
    const texts = await redis.lrange(userTradesKey(user), 0, FILLS_SHOWN - 1);
    const stored = texts.reverse().map((text) => JSON.parse(text) as StoredFill);
    const known = new Set(stored.map(({ id, side }) => `${id} ${side}`));
    const added: UserRows["trades"] = [];
    return {
      absorb(rows) {
        // The list may have been read later than the position that the journal is read from.
        added.push(...rows.trades.filter(({ trade, side }) => !known.has(`${trade.id} ${side}`)));
      },
      show(memory) {
        const { grids } = memory;
        const fills = [
          ...stored.map((fill) => storedFill(fill, memory)),
          ...added.map(({ trade, side }) => fillOf(trade, side, grids.of(trade.pair, trade.grid))),
        ];
        return JSON.stringify({ trades: fills.slice(-FILLS_SHOWN) });
      },
    };
  },
};

type StoredBalance = { readonly user: string; readonly currency: string; readonly text: string };

function storedBalance({ user, currency, text }: StoredBalance, grids: Grids): BalanceRow {
  const [available = "0", frozen = "0"] = text.split(",");
  const scale = grids.scaleOf(currency);
  return { user, currency, available: stepsOf(available, scale), frozen: stepsOf(frozen, scale) };
}

/** As the projection wrote it (`state-writes.ts`). */
type StoredFill = Pick<Fill, "pair" | "side" | "price" | "quantity" | "value" | "fee" | "at"> & {
  readonly id: number;
  readonly order_id: number;
  readonly role: Fill["liquidity"];
};

function storedFill(
  { id, order_id: orderId, role: liquidity, ...fill }: StoredFill,
  memory: Pick<LiveMemory, "grids" | "pairs">,
): Fill {
  const row = memory.pairs.get(fill.pair);
  assert(row !== undefined, "the pair of a fill is known");
  const feeCurrency = feeCurrencyOf(fill.side, memory.grids.of(row.pair, row.grid));
  return { ...fill, id: String(id), orderId: String(orderId), feeCurrency, liquidity };
}
