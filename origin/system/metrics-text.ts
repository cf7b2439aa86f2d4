export type Metric = {
  readonly name: string;
  readonly kind: "gauge" | "counter";
  readonly help: string;
  /** What this process does not know is left out. */
  readonly value: number | undefined;
};

/** In the text format of Prometheus. */
export function metricsText(prefix: string, metrics: readonly Metric[]): string {
  return metrics
    .filter(({ value }) => value !== undefined)
    .map(({ name, kind, help, value }) => `# HELP ${prefix}${name} ${help}\n# TYPE ${prefix}${name} ${kind}\n${prefix}${name} ${value}\n`)
    .join("");
}
