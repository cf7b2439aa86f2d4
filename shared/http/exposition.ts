/** One metric name of Prometheus' text format with its samples. */
export type MetricFamily = {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly samples: readonly Sample[];
};

export type Sample = {
  /** The suffix of a histogram's parts. */
  readonly suffix?: "_bucket" | "_sum" | "_count";
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};

export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Prometheus' text format, version 0.0.4. A family without samples is left out. */
export function expositionText(families: readonly MetricFamily[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(({ suffix = "", labels, value }) => `${name}${suffix}${labelText(labels)} ${numberText(value)}`),
    ])
    .map((line) => `${line}\n`)
    .join("");
}

/** A metric with a single value and no labels. */
export type Metric = {
  readonly name: string;
  readonly kind: "gauge" | "counter";
  readonly help: string;
  /** Undefined when this process does not know it: then it is left out. */
  readonly value: number | undefined;
};

export function metricsText(prefix: string, metrics: readonly Metric[]): string {
  const families = metrics.map(
    ({ name, kind, help, value }): MetricFamily => ({
      name: `${prefix}${name}`,
      type: kind,
      help,
      samples: value === undefined ? [] : [{ labels: {}, value }],
    }),
  );
  return expositionText(families);
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}
