/** One number of the venue for Prometheus; its name is printed behind `sluice_venue_`. */
export type Metric = {
  readonly name: string;
  readonly kind: "gauge" | "counter";
  readonly help: string;
  /** Undefined: this process does not know it, and leaves it out. */
  readonly value: number | undefined;
};

/** Prometheus' text format, version 0.0.4. */
export function metricText(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ value }) => value !== undefined)
    .map(
      ({ name, kind, help, value }) =>
        `# HELP sluice_venue_${name} ${help}\n# TYPE sluice_venue_${name} ${kind}\nsluice_venue_${name} ${value}\n`,
    )
    .join("");
}
