import type { Progress, ProgressRow } from "./progress.ts";

type Output = { readonly isTTY?: boolean; readonly columns?: number; readonly write: (text: string) => unknown };

type TerminalOptions = { readonly output: Output; readonly elapsedMs: () => number };

const BAR_WIDTH = 30;
const DRAW_EVERY_MS = 200;
/** For logs. */
const LINE_EVERY_MS = 2_000;
const RATE_OVER_MS = 3_000;

/** Bars and rates in place on a terminal; one plain line every two seconds elsewhere. */
export function createTerminalProgress({ output, elapsedMs }: TerminalOptions): Progress {
  const isTerminal = output.isTTY === true;
  const pace = createPace(elapsedMs);
  let shownLines = 0;
  let shownAtMs = Number.NEGATIVE_INFINITY;
  let last: readonly ProgressRow[] = [];

  const clear = () => (shownLines === 0 ? "" : `\x1b[${shownLines}A\x1b[0J`);

  function draw(rows: readonly ProgressRow[]): void {
    const lines = rows.map((row) => barLine(row, pace.of(row)));
    output.write(`${clear()}${lines.map((line) => `${line.slice(0, (output.columns ?? 80) - 1)}\n`).join("")}`);
    shownLines = lines.length;
  }

  return {
    say(line) {
      output.write(`${isTerminal ? clear() : ""}${line}\n`);
      shownLines = 0;
      if (isTerminal && last.length > 0) draw(last);
    },
    show(rows) {
      pace.note(rows);
      const isDue = elapsedMs() - shownAtMs >= (isTerminal ? DRAW_EVERY_MS : LINE_EVERY_MS);
      last = rows;
      if (!isDue) return;
      shownAtMs = elapsedMs();
      if (isTerminal) draw(rows);
      else output.write(`${plainLine(rows, { seconds: elapsedMs() / 1_000, paceOf: pace.of })}\n`);
    },
    end() {
      if (last.length === 0) return;
      if (isTerminal) draw(last);
      else output.write(`${plainLine(last, { seconds: elapsedMs() / 1_000, paceOf: pace.of })}\n`);
      last = [];
      shownLines = 0;
    },
  };
}

function barLine({ label, value, of }: ProgressRow, perSecond: number | undefined): string {
  const name = label.padEnd(12);
  const rate = perSecond === undefined ? "" : `${perSecond.toFixed(0).padStart(7)}/s`;
  if (of === undefined) return `${name} ${" ".repeat(BAR_WIDTH)} ${shown(value)}${rate}`;
  const filled = Math.round(BAR_WIDTH * Math.min(1, of === 0 ? 0 : value / of));
  return `${name} ${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)} ${shown(value)} of ${of.toLocaleString("en")}${rate}`;
}

type PlainFacts = { readonly seconds: number; readonly paceOf: (row: ProgressRow) => number | undefined };

function plainLine(rows: readonly ProgressRow[], { seconds, paceOf }: PlainFacts): string {
  const figures = rows.map((row) => {
    const rate = paceOf(row);
    return `${row.label} ${row.value}${row.of === undefined ? "" : `/${row.of}`}${rate === undefined ? "" : ` (${rate.toFixed(0)}/s)`}`;
  });
  return `${seconds.toFixed(0).padStart(4)} s  ${figures.join(", ")}`;
}

function shown(value: number): string {
  return value.toLocaleString("en").padStart(9);
}

type Pace = {
  readonly note: (rows: readonly ProgressRow[]) => void;
  readonly of: (row: ProgressRow) => number | undefined;
};

/** The rate of each count over the last seconds. */
function createPace(elapsedMs: () => number): Pace {
  const seen = new Map<string, { readonly atMs: number; readonly value: number }[]>();
  return {
    note(rows) {
      const atMs = elapsedMs();
      for (const { label, value, isCount } of rows) {
        if (!isCount) continue;
        const samples = seen.get(label) ?? [];
        samples.push({ atMs, value });
        while (samples.length > 2 && (samples[1]?.atMs ?? 0) <= atMs - RATE_OVER_MS) samples.shift();
        seen.set(label, samples);
      }
    },
    of({ label, value, isCount }) {
      const first = seen.get(label)?.[0];
      if (!isCount || first === undefined) return undefined;
      const seconds = (elapsedMs() - first.atMs) / 1_000;
      return seconds <= 0 ? 0 : (value - first.value) / seconds;
    },
  };
}
