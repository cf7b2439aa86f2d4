import { seededRandom } from "../../kit/random.ts";
import { assert } from "../../shared/assert.ts";
import { createHttpPool, type HttpPool } from "../http/http-pool.ts";
import type { RunContext } from "../options/run-context.ts";
import type { Recorder } from "../record/recorder.ts";
import type { Target } from "../target/target.ts";
import { type Acknowledged, rememberAcknowledged } from "./acknowledged.ts";
import { openMarket } from "./market.ts";
import { openTraders } from "./open-traders.ts";
import type { TradeOptions } from "./trade-options.ts";
import { openTradingFloor, type TradingFloor } from "./trading-floor.ts";
import { createVenueCalls, type TradingPerson, type VenueCalls } from "./venue-calls.ts";
import { directWay, gateWay, type WayIn } from "./way-in.ts";

/** Everything that trading needs before the first order: accounts with money and API keys, passes, connections. */
export type TradeDesk = {
  readonly people: readonly [TradingPerson, ...TradingPerson[]];
  readonly floor: TradingFloor;
  readonly call: VenueCalls;
  readonly acknowledged: Acknowledged;
  /** The venue's data folder, with its control socket. */
  readonly folder: string;
  readonly close: () => void;
};

export type DeskContext = RunContext & {
  readonly target: Target;
  readonly recorder: Recorder;
  readonly nowMs: () => number;
  /** The data folder of a venue that this run did not start, on this machine. */
  readonly folder: string | undefined;
};

const SOCKETS_MAX = 128;
const ANSWER_MS_MAX = 10_000;
const WAYS_AT_ONCE = 16;

export async function openDesk(options: TradeOptions, context: DeskContext): Promise<TradeDesk> {
  const { target, recorder, nowMs, clock, signal, progress } = context;
  const folder = target.own?.folder ?? context.folder;
  if (folder === undefined)
    throw new Error("trading needs a venue on this machine: its data folder has the socket that creates accounts");
  const tag = `${clock.nowMs().toString(36)}_${options.shard.index}`;
  const ways = await openWays(options, context);
  const [first] = ways;
  assert(first !== undefined, "there is at least one trader");
  const market = openMarket(await readPairs(first), options.pairs, options);
  progress.say(`Opening ${options.traders} accounts with money and API keys`);
  const wayOf = (index: number) => ways[index] ?? first;
  const traders = await openTraders({
    count: options.traders,
    tag,
    folder,
    currencies: market.currencies,
    wayOf,
    signal,
  });
  const [one, ...others] = traders.map((trader): TradingPerson => ({ trader, way: wayOf(trader.index) }));
  if (one === undefined || signal.aborted) throw new Error("stopped before the trading began");
  const pools = openPools(target, ways);
  const random = seededRandom(options.seed + options.shard.index);
  const acknowledged = rememberAcknowledged(random);
  const call = createVenueCalls({ poolOf: pools.of, urlAfter: urlAfterIn(target), recorder, nowMs, clock });
  const { mix, batch } = options;
  const floor = openTradingFloor({ call, market, mix, batch, random, acknowledged, tag, nowMs, signal });
  return { people: [one, ...others], floor, call, acknowledged, folder, close: pools.close };
}

async function openWays(
  { traders, isDirect }: TradeOptions,
  { target, clock, signal }: DeskContext,
): Promise<readonly WayIn[]> {
  const { own, urls, queueId } = target;
  if (isDirect && own === undefined) throw new Error("--direct needs the run's own stack");
  const ways: WayIn[] = [];
  for (let from = 0; from < traders; from += WAYS_AT_ONCE) {
    const some = Array.from({ length: Math.min(WAYS_AT_ONCE, traders - from) }, async (_, offset) => {
      const address = addressOf(from + offset);
      if (isDirect && own !== undefined) return directWay(own, { queueId, address, clock });
      return gateWay(target, { url: urls[(from + offset) % urls.length] ?? urls[0], address, signal });
    });
    ways.push(...(await Promise.all(some)));
  }
  return ways;
}

/** In 198.18.0.0/15, reserved for benchmarks (RFC 2544): no visitor of a crowd has such an address. */
const addressOf = (index: number) => `198.18.${(index >> 8) & 255}.${index & 255}`;

async function readPairs({ url, headers }: WayIn): Promise<unknown> {
  const response = await fetch(`${url}/api/v1/market/pairs`, {
    headers: { accept: "application/json", ...headers },
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });
  if (!response.ok) throw new Error(`the venue did not list its pairs: ${response.status} ${await response.text()}`);
  return response.json();
}

function urlAfterIn({ urls }: Target): (url: string) => string {
  return (url) => {
    const at = urls.indexOf(url);
    return at === -1 ? url : (urls[(at + 1) % urls.length] ?? url);
  };
}

function openPools({ urls }: Target, ways: readonly WayIn[]) {
  const all = [...new Set([...urls, ...ways.map(({ url }) => url)])];
  const pools = new Map<string, HttpPool>(
    all.map((url) => [url, createHttpPool({ url, socketsMax: Math.ceil(SOCKETS_MAX / all.length) })]),
  );
  return {
    of(url: string): HttpPool {
      const pool = pools.get(url);
      assert(pool !== undefined, "every trader uses one of the target's addresses");
      return pool;
    },
    close: () => {
      for (const pool of pools.values()) pool.close();
    },
  };
}
