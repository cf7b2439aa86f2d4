import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A data set of an earlier version, and the answers of its API. `make-fixture.ts` writes one, the tests read it. */
export type Recorded = {
  readonly version: string;
  /** When it was recorded: client order ids are valid for a day after it. */
  readonly atMs: number;
  readonly users: readonly RecordedUser[];
  /** GETs that need no account, by path. */
  readonly market: Readonly<Record<string, unknown>>;
};

export type RecordedUser = {
  readonly name: string;
  readonly id: string;
  readonly password: string;
  readonly apiKey: { readonly id: string; readonly secret: string };
  /** By path. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** Orders with a client order id, as they were sent, and the id that each got. */
  readonly named: readonly { readonly id: number; readonly sent: Readonly<Record<string, unknown>> }[];
};

/** Fixed, so that sealed API keys can be opened again. Used nowhere else. */
export const FIXTURE_SECRETS = {
  SLUICE_VENUE_SECRET: "a secret of fixtures, at least 32 long",
  SLUICE_SEAL_KEYS: JSON.stringify({ active: "1", keys: { "1": "c2VhbC1rZXktb2YtdGVzdHMtMzItYnl0ZXMtbG9uZyE" } }),
} as const;

export const fixtureFolder = (name: string) => fileURLToPath(new URL(`./${name}/`, import.meta.url));

export function readRecorded(name: string): Recorded {
  return JSON.parse(readFileSync(`${fixtureFolder(name)}answers.json`, "utf8")) as Recorded;
}

export const USER_PATHS = [
  "/wallet",
  "/wallet/history?limit=100",
  "/orders?limit=100",
  "/orders?status=open&limit=100",
  "/trades?limit=100",
];
export const MARKET_PATHS = [
  "/market/pairs",
  ...["btcidr", "ethidr"].flatMap((pair) => [`/market/${pair}/book`, `/market/${pair}/trades?limit=100`]),
];

/** A restart may change when the copy of a book was made. */
export function withoutMoment(path: string, answer: unknown): unknown {
  if (!path.endsWith("/book")) return answer;
  const { bids, asks } = answer as Readonly<Record<string, unknown>>;
  return { bids, asks };
}
