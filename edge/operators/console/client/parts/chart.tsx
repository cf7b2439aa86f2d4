import { useEffect, useRef, useState } from "preact/hooks";
import Plot from "uplot";
import "uplot/dist/uPlot.min.css";
import { timeOfDay } from "../words.ts";

type ChartProps = {
  readonly title: string;
  readonly times: readonly number[];
  readonly values: readonly (number | null)[];
  /** A line to compare with: the cap, the rate. */
  readonly limit?: { readonly label: string; readonly value: number };
  readonly format: (value: number) => string;
  readonly spanMs: number;
};

const HEIGHT = 140;
const X_AXIS_HEIGHT = 26;
/** Of an axis along which nothing happens: a smaller one would be all zeros. */
const EMPTY_TOP = 1;

/** One curve over time. Its content is also a text, because screen readers cannot read a canvas. */
export function Chart({ title, times, values, limit, format, spanMs }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot>(undefined);
  const [pointed, setPointed] = useState<number>();
  const drawnLimit = useRef<number>(undefined);
  const scheme = useColorScheme();

  // Drawn again when the colours change; the data follow below.
  useEffect(() => {
    if (place.current === null) return undefined;
    const width = place.current.clientWidth;
    const made = new Plot(
      optionsOf({
        width,
        colours: coloursOf(place.current),
        format,
        limit: () => drawnLimit.current,
        onPoint: setPointed,
      }),
      [[], [], []],
      place.current,
    );
    plot.current = made;
    const observer = new ResizeObserver(([entry]) =>
      made.setSize({ width: entry?.contentRect.width ?? width, height: HEIGHT }),
    );
    observer.observe(place.current);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [scheme]);

  // A new plot has no data yet.
  useEffect(() => {
    drawnLimit.current = limit?.value;
    plot.current?.setData([[...times], [...values]], false);
    const last = times.at(-1) ?? 0;
    const top = Math.max(...values.map((value) => value ?? 0), limit?.value ?? 0) || EMPTY_TOP;
    plot.current?.batch(() => {
      plot.current?.setScale("x", { min: last - spanMs / 1000, max: last });
      plot.current?.setScale("y", { min: 0, max: niceTop(top) });
    });
  }, [times, values, limit?.value, spanMs, scheme]);

  const known = values.filter((value) => value !== null);
  const last = known.at(-1);
  const shown = pointed === undefined ? last : values[pointed];
  const at = pointed === undefined ? undefined : times[pointed];
  const summary = last === undefined ? "nothing yet" : `now ${format(last)}, at most ${format(Math.max(...known))}`;
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{title}</span>
        <span class="chart-value" aria-hidden="true">
          {at !== undefined && <small>{timeOfDay(at * 1000)} </small>}
          {shown === undefined || shown === null ? "–" : format(shown)}
          {limit && (
            <small>
              {" "}
              / {limit.label} {format(limit.value)}
            </small>
          )}
        </span>
      </figcaption>
      <div ref={place} class="plot" role="img" aria-label={`${title}: ${summary}`} />
    </figure>
  );
}

type Colours = {
  readonly line: string;
  readonly fill: string;
  readonly limit: string;
  readonly grid: string;
  readonly text: string;
};

function coloursOf(element: HTMLElement): Colours {
  const style = getComputedStyle(element);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return {
    line: read("--line"),
    fill: read("--line-fill"),
    limit: read("--limit"),
    grid: read("--grid"),
    text: read("--muted"),
  };
}

type PlotSettings = {
  readonly width: number;
  readonly colours: Colours;
  readonly format: (value: number) => string;
  readonly limit: () => number | undefined;
  readonly onPoint: (index: number | undefined) => void;
};

function optionsOf({ width, colours, format, limit, onPoint }: PlotSettings): Plot.Options {
  const axis = {
    stroke: colours.text,
    font: "12px system-ui, sans-serif",
    grid: { stroke: colours.grid, width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    padding: [8, 8, 0, 0],
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { x: { time: true }, y: { range: (_plot, min, max) => [min, max] } },
    axes: [
      {
        ...axis,
        size: X_AXIS_HEIGHT,
        space: 70,
        values: (_plot, splits) => splits.map((seconds) => timeOfDay(seconds * 1000).slice(0, 5)),
      },
      { ...axis, size: 52, space: 36, values: (_plot, splits) => splits.map(format) },
    ],
    series: [{}, { stroke: colours.line, fill: colours.fill, width: 2, points: { show: false } }],
    hooks: {
      setCursor: [(made) => onPoint(made.cursor.idx ?? undefined)],
      draw: [(made) => drawLimit(made, { value: limit(), colour: colours.limit })],
    },
  };
}

/** From edge to edge: it holds also where nothing was measured. */
function drawLimit(
  { ctx, bbox, valToPos }: Plot,
  { value, colour }: { value: number | undefined; colour: string },
): void {
  if (value === undefined) return;
  const y = Math.round(valToPos(value, "y", true));
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.setLineDash([5 * devicePixelRatio, 5 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}

/** Room above the highest point, so that it is not lost in the frame. */
function niceTop(top: number): number {
  return top * 1.15;
}

function useColorScheme(): string {
  const query = matchMedia("(prefers-color-scheme: dark)");
  const [scheme, setScheme] = useState(query.matches ? "dark" : "light");
  useEffect(() => {
    const follow = () => setScheme(query.matches ? "dark" : "light");
    query.addEventListener("change", follow);
    return () => query.removeEventListener("change", follow);
  }, [query]);
  return scheme;
}
