/** A strict parser of Prometheus' text format, version 0.0.4: throws at the first invalid line. */
export type Scrape = ReadonlyMap<string, Family>;

export type Family = { readonly type: string; readonly help: string; readonly samples: readonly ScrapedSample[] };

export type ScrapedSample = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};

const HELP = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) ((?:[^\\\n]|\\\\|\\n)+)$/;
const TYPE = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)$/;
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\\\\\|\\\\"|\\\\n)*"';
const SAMPLE = new RegExp(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (\\S+)$`);
const NUMBER = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]Inf|NaN)$/;

export function readPrometheusText(text: string): Scrape {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const reading: Reading = { families: new Map(), seen: new Set(), current: "" };
  for (const line of text.slice(0, -1).split("\n")) readLine(reading, line);
  for (const [name, family] of reading.families) checkFamily(name, family);
  return reading.families;
}

type Reading = {
  readonly families: Map<string, { type: string; help: string; samples: ScrapedSample[] }>;
  readonly seen: Set<string>;
  current: string;
};

function readLine(reading: Reading, line: string): void {
  const [, helped, help = ""] = HELP.exec(line) ?? [];
  if (helped === undefined) {
    readInFamily(reading, line);
    return;
  }
  if (reading.families.has(helped)) throw new Error(`${helped} is described twice, or its lines are not together`);
  reading.current = helped;
  reading.families.set(helped, { type: "", help, samples: [] });
}

function readInFamily({ families, seen, current }: Reading, line: string): void {
  const family = families.get(current);
  if (family === undefined) throw new Error(`before any description: ${line}`);
  const [, typed, type = ""] = TYPE.exec(line) ?? [];
  if (typed !== undefined) {
    if (typed !== current || family.type !== "" || family.samples.length > 0)
      throw new Error(`a type out of place: ${line}`);
    family.type = type;
    return;
  }
  const sample = readSample(line);
  if (!namesOf(current, family.type).includes(sample.name)) throw new Error(`${line} does not belong to ${current}`);
  const identity = JSON.stringify([sample.name, Object.entries(sample.labels).toSorted()]);
  if (seen.has(identity)) throw new Error(`duplicate: ${line}`);
  seen.add(identity);
  family.samples.push(sample);
}

function readSample(line: string): ScrapedSample {
  const [, name, labels = "", value = ""] = SAMPLE.exec(line) ?? [];
  if (name === undefined || !NUMBER.test(value)) throw new Error(`not a sample: ${line}`);
  const pairs = [...labels.matchAll(new RegExp(LABEL, "g"))].map(([pair]) => pair);
  const entries = pairs.map((pair) => {
    const [label = ""] = pair.split("=", 1);
    return [
      label,
      pair.slice(label.length + 2, -1).replaceAll(/\\(.)/g, (_, letter: string) => (letter === "n" ? "\n" : letter)),
    ];
  });
  if (new Set(entries.map(([label]) => label)).size !== entries.length) throw new Error(`a label twice: ${line}`);
  return { name, labels: Object.fromEntries(entries) as Record<string, string>, value: toNumber(value) };
}

function toNumber(text: string): number {
  return Number(text.replace("Inf", "Infinity"));
}

function namesOf(name: string, type: string): readonly string[] {
  return type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}

function checkFamily(name: string, { type, samples }: Family): void {
  if (type === "" || samples.length === 0) throw new Error(`${name} has no type or no samples`);
  if ((type === "counter") !== name.endsWith("_total")) throw new Error(`${name} is a ${type}`);
  if (type === "counter" && samples.some(({ value }) => !(value >= 0))) throw new Error(`${name} counts below 0`);
  if (type === "histogram") checkHistogram(name, samples);
}

function checkHistogram(name: string, samples: readonly ScrapedSample[]): void {
  const series = Map.groupBy(samples, ({ labels: { le: _bound, ...labels } }) =>
    JSON.stringify(Object.entries(labels).toSorted()),
  );
  for (const [labels, parts] of series) {
    const buckets = parts.filter((part) => part.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels: { le = "" } }) => toNumber(le));
    const counts = buckets.map(({ value }) => value);
    const count = parts.find((part) => part.name === `${name}_count`)?.value;
    const sum = parts.find((part) => part.name === `${name}_sum`)?.value;
    const isSorted = (numbers: readonly number[]) =>
      numbers.every((number, index) => index === 0 || number >= (numbers[index - 1] ?? 0));
    if (!isSorted(bounds) || !isSorted(counts)) throw new Error(`the buckets of ${name} ${labels} do not grow`);
    if (bounds.at(-1) !== Number.POSITIVE_INFINITY || counts.at(-1) !== count)
      throw new Error(`${name} ${labels} does not count all`);
    if (sum === undefined || !(sum >= 0)) throw new Error(`${name} ${labels} has no sum`);
  }
}
