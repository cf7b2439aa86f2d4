import { setTimeout as sleep } from "node:timers/promises";
import type { CrowdOptions } from "../crowd/crowd-options.ts";
import { runCrowd } from "../crowd/run-crowd.ts";
import type { AdmittedVisitor } from "../crowd/visitor-life.ts";
import type { RunContext } from "../options/run-context.ts";
import { createRecorder } from "../record/recorder.ts";
import type { RunRecord } from "../record/run-record.ts";
import { createOperator } from "../target/operator.ts";
import type { Target } from "../target/target.ts";
import { concludeTrading } from "../trade/conclude-trading.ts";
import { mixText } from "../trade/mix.ts";
import { openDesk, type TradeDesk } from "../trade/open-desk.ts";
import type { TradeOptions } from "../trade/trade-options.ts";
import { openAuction } from "./opening-auction.ts";

export type OpeningOptions = {
  readonly crowd: CrowdOptions;
  readonly trade: TradeOptions;
  /** Seconds from the first possible arrival to the opening. */
  readonly bellSeconds: number;
  /** Orders of each visitor inside. */
  readonly ordersEach: number;
  /** From the opening of the queue to that of the pairs; 0 for pairs that trade all the time. */
  readonly auctionSeconds: number;
};

type OpeningContext = RunContext & { readonly target: Target };

/** Every edge has a change by then. */
const IN_FORCE_MS_MAX = 2_000;

/**
 * A crowd joins before the bell; at the bell the line starts to move, and each admitted visitor trades with its own
 * pass. With an auction, the orders are collected until a second bell, and the opening is verified from public data.
 */
export async function runOpening(options: OpeningOptions, context: OpeningContext): Promise<RunRecord> {
  const { target, clock, progress } = context;
  const { crowd, trade, bellSeconds, ordersEach, auctionSeconds } = options;
  const recorder = createRecorder();
  let beganMs = performance.now();
  const nowMs = () => performance.now() - beganMs;
  const desk = await openDesk(
    { ...trade, isAuction: auctionSeconds > 0 },
    { ...context, recorder, nowMs, folder: undefined },
  );
  try {
    const opensAt = clock.nowMs() + IN_FORCE_MS_MAX + bellSeconds * 1_000;
    const way = desk.people[0].way;
    const auction =
      auctionSeconds === 0
        ? undefined
        : await openAuction({
            ...{ way, folder: desk.folder, pairs: trade.pairs, nowMs: clock.nowMs },
            opensAt: opensAt + auctionSeconds * 1_000,
          });
    await announce(target, { prequeueOpensAt: clock.nowMs() - 1_000, opensAt });
    beganMs = performance.now();
    const onAdmitted = (visitor: AdmittedVisitor) =>
      tradeInside(visitor, {
        desk,
        nowMs,
        orders: ordersEach,
        stayMs: crowd.staySeconds * 1_000,
        signal: context.signal,
      });
    const record = await runCrowd(crowd, { ...context, recorder, onAdmitted });
    const opened = await auction?.verify();
    if (opened !== undefined) progress.say(opened);
    const orders = await concludeTrading(desk, { recorder, nowMs, say: progress.say });
    return {
      ...record,
      ...recorder.contents(),
      scenario: "opening",
      settings: {
        ...record.settings,
        bellMs: Math.max(0, opensAt - record.startedAt),
        ordersEach,
        ...(opened === undefined ? {} : { auction: opened }),
        traders: trade.traders,
        mix: mixText(trade.mix),
        pairs: trade.pairs.join(","),
      },
      orders,
    };
  } finally {
    desk.close();
  }
}

async function announce(
  { urls, queueId, own }: Target,
  schedule: { readonly prequeueOpensAt: number; readonly opensAt: number },
): Promise<void> {
  if (own === undefined) throw new Error("the opening time can be set only on the run's own stack");
  await createOperator({ url: urls[0], adminToken: own.adminToken }).ask("PATCH", `/queues/${queueId}`, schedule);
  await sleep(IN_FORCE_MS_MAX);
}

type Inside = {
  readonly desk: TradeDesk;
  readonly nowMs: () => number;
  readonly orders: number;
  readonly stayMs: number;
  readonly signal: AbortSignal;
};

/** Orders are due at even intervals from the entry, independent of answers (open model). */
async function tradeInside(
  { visitor, url, address, cookie }: AdmittedVisitor,
  { desk, nowMs, orders, stayMs, signal }: Inside,
): Promise<void> {
  const { people, floor } = desk;
  const { trader } = people[visitor % people.length] ?? people[0];
  const person = { trader, way: { url, headers: { cookie, "cf-connecting-ip": address } } };
  const cameMs = nowMs();
  const underway: Promise<void>[] = [];
  for (let order = 0; order < orders && !signal.aborted; order++) {
    const dueMs = cameMs + (order * stayMs) / orders;
    if (dueMs > nowMs()) await sleep(dueMs - nowMs(), undefined, { signal }).catch(() => {});
    underway.push(floor.act(person, dueMs).done);
  }
  await Promise.all(underway);
}
