import { useMemo, useState } from "preact/hooks";
import { systemClock } from "../../../../../shared/clock.ts";
import { curvesOf, RANGES, type Range, type Sample } from "../../curves.ts";
import { clearsInSeconds, count, duration, perSecond } from "../../forecast.ts";
import { queueAt } from "../../queue-now.ts";
import type { QueueStats } from "../api-shapes.ts";
import { Chart } from "../parts/chart.tsx";
import { Meter } from "../parts/meter.tsx";
import { DaySummary } from "./day-summary.tsx";
import { EventNote } from "./event-note.tsx";
import { PaceForm } from "./pace-form.tsx";
import type { QueueProps } from "./queue-view.tsx";

type LiveProps = QueueProps & { readonly samples: readonly Sample[]; readonly stats: QueueStats | undefined };

export function LiveTab({ queue, etag, refresh, samples, stats }: LiveProps) {
  const [range, setRange] = useState<Range>(RANGES[0]);
  const now = queueAt(queue, systemClock.nowMs());
  const { waiting, active, maxActive, admissionRate, admissionsPerSecond } = now;
  const curves = useMemo(
    () => curvesOf({ stats, samples, nowMs: systemClock.nowMs() }, range),
    [stats, samples, range],
  );
  const seconds = clearsInSeconds(now);
  return (
    <>
      <EventNote queue={queue} now={now} />
      <dl class="tiles">
        <div class="card tile">
          <dt>Waiting</dt>
          <dd data-value="waiting">{count(waiting)}</dd>
          <dd class="tile-foot">
            {waiting >= queue.maxQueueSize
              ? "Full: newcomers are turned away"
              : `room for ${count(queue.maxQueueSize)}`}
          </dd>
        </div>
        <div class="card tile">
          <dt>Inside</dt>
          <dd data-value="active">
            {count(active)} <small>of {count(maxActive)}</small>
          </dd>
          <dd class="tile-foot">
            <Meter value={active} max={maxActive} warnsWhenFull={true} />
            {active >= maxActive && "Full"}
          </dd>
        </div>
        <div class="card tile">
          <dt>Admitted per second</dt>
          <dd data-value="rate">
            {rounded(admissionsPerSecond)} <small>of {perSecond(admissionRate)}</small>
          </dd>
          <dd class="tile-foot">
            <Meter value={admissionsPerSecond} max={admissionRate} />
          </dd>
        </div>
        <div class="card tile">
          <dt>Line clears in</dt>
          <dd data-value="clears">
            {waiting === 0 ? "–" : seconds === undefined ? "never" : duration(seconds).replace("about ", "")}
          </dd>
          <dd class="tile-foot">
            {waiting === 0
              ? "no one is waiting"
              : seconds === undefined
                ? "the line does not move"
                : "if no one else comes"}
          </dd>
        </div>
      </dl>
      <div class="live-grid">
        <section class="card charts" aria-label="Curves">
          <fieldset class="ranges">
            <legend class="hidden">How far back</legend>
            {RANGES.map((each) => (
              <button key={each.name} type="button" aria-pressed={each === range} onClick={() => setRange(each)}>
                {each.name}
              </button>
            ))}
          </fieldset>
          <Chart title="Waiting" times={curves.times} values={curves.waiting} format={compact} spanMs={range.spanMs} />
          <Chart
            title="Inside"
            times={curves.times}
            values={curves.active}
            limit={{ label: "maximum", value: maxActive }}
            format={compact}
            spanMs={range.spanMs}
          />
          <Chart
            title="Admitted per second"
            times={curves.times}
            values={curves.admittedPerSecond}
            limit={{ label: "admission rate", value: admissionRate }}
            format={compact}
            spanMs={range.spanMs}
          />
        </section>
        <div class="side">
          <PaceForm queue={queue} etag={etag} refresh={refresh} />
          {stats && <DaySummary stats={stats} />}
        </div>
      </div>
    </>
  );
}

const compactNumber = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

function compact(value: number): string {
  return compactNumber.format(value);
}

function rounded(value: number): string {
  return new Intl.NumberFormat("en", { maximumFractionDigits: value >= 10 ? 0 : 1 }).format(value);
}
