import { addBuckets, percentileMs } from "../record/latency-buckets.ts";
import { type RunRecord, VISITOR_ENDS } from "../record/run-record.ts";
import { countText, durationText, millisecondsText, shareText } from "./numbers.ts";
import { quantile } from "./percentiles.ts";

/** A key figure of a run with a short note. */
export type Figure = { readonly name: string; readonly value: string; readonly note: string };

export function keyFigures(record: RunRecord): readonly Figure[] {
  return [...crowdFigures(record), ...requestFigures(record), ...orderFigures(record)];
}

function crowdFigures({ visitors, gauges }: RunRecord): readonly Figure[] {
  const came = visitors.arrivedMs.length;
  if (came === 0) return [];
  const waits = visitors.admittedMs.flatMap((ms, visitor) =>
    ms >= 0 ? [ms - (visitors.arrivedMs[visitor] ?? 0)] : [],
  );
  const ends = VISITOR_ENDS.flatMap((end, index) => {
    const count = visitors.end.filter((each) => each === index).length;
    return count === 0 ? [] : [`${countText(count)} ${end}`];
  });
  const longest = gauges.reduce((most, { waiting }) => Math.max(most, waiting), 0);
  return [
    { name: "visitors", value: countText(came), note: ends.join(", ") },
    { name: "admitted", value: countText(waits.length), note: shareText(waits.length, came) },
    {
      name: "median wait",
      value: durationText(quantile(waits, 0.5)),
      note: `95 % waited less than ${durationText(quantile(waits, 0.95))}`,
    },
    { name: "longest line", value: countText(longest), note: "most visitors waiting at once" },
  ];
}

function requestFigures({ requests, durationMs }: RunRecord): readonly Figure[] {
  const answered = Object.values(requests).flatMap(({ answers }) => Object.values(answers));
  const count = answered.reduce((sum, each) => sum + each, 0);
  if (count === 0) return [];
  const buckets = addBuckets(Object.values(requests).flatMap(({ seconds }) => seconds.map((second) => second.buckets)));
  const perSecond = (count * 1_000) / Math.max(1, durationMs);
  return [
    { name: "requests", value: countText(count), note: `${countText(perSecond)} a second` },
    {
      name: "latency, p99",
      value: millisecondsText(percentileMs(buckets, 0.99)),
      note: `p50 ${millisecondsText(percentileMs(buckets, 0.5))}, all kinds together`,
    },
  ];
}

function orderFigures({ orders, durationMs }: RunRecord): readonly Figure[] {
  if (orders === undefined) return [];
  const { acknowledged, rejected, unknown, cancelled, trades, sent, notSent } = orders;
  const perSecond = (count: number) => countText((count * 1_000) / Math.max(1, durationMs));
  return [
    {
      name: "orders per second",
      value: perSecond(acknowledged),
      note: `acknowledged; with cancellations ${perSecond(acknowledged + cancelled)}`,
    },
    {
      name: "orders acknowledged",
      value: countText(acknowledged),
      note: `of ${countText(sent)}; ${countText(rejected)} refused, ${countText(unknown)} unknown, ${countText(notSent)} not sent`,
    },
    { name: "trades", value: countText(trades), note: `${countText(cancelled)} orders cancelled` },
  ];
}
