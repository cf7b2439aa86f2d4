import { type Attack, isKeptOut } from "./attack-desk.ts";

const ADDRESS = "192.0.2.30";

/**
 * Spellings of a path that some server in the chain might read as another path. Not the absolute form (RFC 9112,
 * 3.2.2): workerd answers it with 500 before it reaches the gate.
 */
const SPELLINGS = [
  "/DEMO/",
  "/Demo/",
  "/demo",
  "//demo/",
  "/./demo/",
  "/x/../demo/",
  "/x/..%2fdemo/",
  "/x/%2e%2e/demo/",
  "/x/.%2e/demo/",
  "/demo%2f",
  "/%64emo/",
  "/%2564emo/",
  "/demo;/",
  "/demo;a=b/",
  "/demo%3b/",
  "/demo%5c",
  "/demo\\",
  "/\\demo/",
  "/demo%00/",
  "/demo%0a/",
  "/demo%0d%0a/",
  "/demo%c0%af",
  "/_sluice/../demo/",
  "/_sluice/%2e%2e/demo/",
  "/_sluice/..;/demo/",
  "/_sluice/health/../../demo/",
  "/demo/?x=/../../_sluice/health",
  `/demo/${"x".repeat(9_000)}`,
];

/** Headers that only the gate may set. */
const HEADERS: readonly Readonly<Record<string, string>>[] = [
  { "x-sluice-pass": "planted" },
  { "X-SLUICE-PASS": "planted" },
  { x_sluice_pass: "planted" },
  { "x-sluice-command": "complete" },
  { "x-original-url": "/_sluice/health" },
  { "x-rewrite-url": "/_sluice/health" },
  { "x-forwarded-prefix": "/_sluice" },
  { connection: "x-sluice-pass, keep-alive" },
];

/** Another spelling of the path, or a header that only the gate may set, must not reach the application. */
export const pathDodges: Attack = {
  name: "path dodges",
  async run(desk) {
    const past: string[] = [];
    const requests = [
      ...SPELLINGS.map((path) => ({ what: path.slice(0, 40), path, headers: {} })),
      ...HEADERS.map((headers) => ({ what: Object.keys(headers).join(), path: desk.target.path, headers })),
    ];
    for (const { what, path, headers } of requests) {
      const answer = await desk.ask({ path, headers, address: ADDRESS });
      if (!isKeptOut(answer)) past.push(`${what}: ${answer.sight.label}`);
      await desk.giveBack(answer);
    }
    const seen = past.length === 0 ? "none passed" : past.join(", ");
    return [
      {
        name: `${requests.length} dodges by path and header`,
        expected: "none passes the gate",
        seen,
        isMet: past.length === 0,
      },
    ];
  },
};
