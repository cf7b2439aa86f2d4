import { count, duration } from "../../forecast.ts";
import type { QueueStats } from "../api-shapes.ts";

/**
 * The last day in numbers. Those who gave up count in the waiting times too, or a line that people flee would look
 * short.
 */
export function DaySummary({ stats }: { readonly stats: QueueStats }) {
  const { enqueued, admitted, left, expired, waitMs } = stats.totals;
  return (
    <section class="card" aria-label="Last 24 hours">
      <h2>Last 24 hours</h2>
      <dl class="facts">
        <Fact name="Joined" value={count(enqueued)} />
        <Fact name="Admitted" value={count(admitted)} />
        <Fact name="Left the line" value={count(left)} />
        <Fact name="Did not come back" value={count(expired)} />
        {waitMs && (
          <>
            <Fact name="Half waited less than" value={waited(waitMs.p50)} />
            <Fact name="90 % waited less than" value={waited(waitMs.p90)} />
            <Fact name="99 % waited less than" value={waited(waitMs.p99)} />
          </>
        )}
      </dl>
    </section>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function waited(milliseconds: number): string {
  return milliseconds < 1_000 ? "1 s" : duration(milliseconds / 1000).replace("about ", "");
}
