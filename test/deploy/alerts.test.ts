import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { headingAnchors } from "../../kit/heading-anchors.ts";
import { readPrometheusText } from "../../kit/prometheus-text.ts";
import { promqlNames } from "../../kit/promql-names.ts";
import { SETTINGS, startAdminGate } from "../admin/admin-gate.ts";
import { START_MS_MAX, startVenue } from "../venue/venue.ts";

/** Rules and dashboard, checked against the metrics of a real venue and gate, and against the runbook's headings. */
const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), "utf8");

type Rule = {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
};
type Panel = { readonly title: string; readonly targets?: readonly { readonly expr: string }[] };

const { groups } = parse(await read("deploy/prometheus/sluice.rules.yml")) as {
  groups: { name: string; rules: Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(await read("deploy/prometheus/dashboard.json")) as { panels: Panel[] };
const panels = dashboard.panels.filter(({ targets }) => targets !== undefined);

/** Prometheus adds it to every scrape. */
const OF_PROMETHEUS = ["up"];

const AUDIT_SOON_MINUTES = 0.05;

const printed = new Set<string>(OF_PROMETHEUS);

function note(text: string): void {
  for (const family of readPrometheusText(text).values()) for (const { name } of family.samples) printed.add(name);
}

beforeAll(async () => {
  const gate = await startAdminGate();
  const json = { queueId: "launch", ...SETTINGS };
  expect((await gate.call("POST", "/admin/queues", { json })).status).toBe(201);
  note((await gate.call("GET", "/metrics")).text);
  const venue = await startVenue("embedded", { auditMinutes: AUDIT_SOON_MINUTES });
  const { body } = await venue.signInAdmin("monitor");
  const scrape = async () => (await venue.call("GET", "/metrics", { token: body.accessToken })).text;
  const waiting = { timeout: 60_000, interval: 100 };
  await vi.waitFor(async () => expect(await scrape()).toMatch(/^sluice_venue_tables_sequence /m), waiting);
  await vi.waitFor(async () => expect(await scrape()).toMatch(/^sluice_venue_audit_faults 0$/m), waiting);
  note(await scrape());
}, START_MS_MAX);

describe("every alert", () => {
  it.each(rules.map((rule) => [rule.alert, rule] as const))("%s reads metrics that are printed", (_alert, { expr }) => {
    const names = promqlNames(expr);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !printed.has(name))).toEqual([]);
  });

  it("has a unique name, a severity, a sentence and a runbook section", async () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    const anchors = headingAnchors(await read("docs/operations.md"));
    for (const { alert, labels, annotations } of rules) {
      expect(["warning", "critical"], alert).toContain(labels.severity);
      expect(annotations.summary, alert).toMatch(/\.$/);
      const [, anchor = ""] = /^docs\/operations\.md#(.+)$/.exec(annotations.runbook) ?? [];
      expect([...anchors], alert).toContain(anchor);
    }
  });

  it("exists for every promised subject", () => {
    const all = rules.flatMap(({ expr }) => promqlNames(expr));
    const subjects = [
      "memory_bytes",
      "slow_commands",
      "backlog_seconds",
      "projection_lag",
      "stall_seconds",
      "leader_epoch",
      "disk_free",
      "redis_clients",
    ];
    for (const subject of subjects)
      expect(
        all.filter((name) => name.includes(subject)),
        subject,
      ).not.toEqual([]);
  });
});

it.each(panels.map((panel) => [panel.title, panel] as const))(
  "the dashboard's panel %s reads metrics that are printed",
  (_title, { targets = [] }) => {
    const names = targets.flatMap(({ expr }) => promqlNames(expr));
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !printed.has(name))).toEqual([]);
  },
);

describe("the reader of expressions", () => {
  it("finds the names and leaves out functions, labels and durations", () => {
    const expression = 'max by (queue) (rate(a_total{job=~"x.+",mode="b"}[5m])) / sum(b) > 0.8 and on (queue) c == 1';
    expect(promqlNames(expression)).toEqual(["a_total", "b", "c"]);
  });

  it.each(["max(a", "max(a))", "median(a)", "a{b=c}", "a[5x]", "a = 1", "rate(a[5m]) ? 1"])(
    "refuses %s",
    (expression) => {
      expect(() => promqlNames(expression)).toThrow();
    },
  );
});
