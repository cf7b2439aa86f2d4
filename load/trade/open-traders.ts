import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { askControl } from "../../origin/control/ask-control.ts";
import { newSecret, systemRandom } from "../../shared/ids.ts";
import type { ApiKey } from "./signed-headers.ts";
import type { WayIn } from "./way-in.ts";

/** Somebody with an account, money and an API key. */
export type Trader = { readonly index: number; readonly userId: string; readonly key: ApiKey };

type Opening = {
  readonly count: number;
  /** Tells the accounts of this run from those of others. */
  readonly tag: string;
  /** Of the venue: through its control socket accounts are made and money is put into them. */
  readonly folder: string;
  readonly currencies: readonly string[];
  readonly wayOf: (index: number) => WayIn;
  readonly signal: AbortSignal;
};

/** More than a run can spend. */
const FUNDS: Readonly<Record<string, string>> = { idr: "1000000000000", usdt: "100000000", btc: "10000", eth: "100000" };
const FUNDS_ELSE = "1000000";
/** Passwords are hashed slowly on purpose, by a few threads. */
const AT_ONCE = 4;
/** A venue that has just started may have nobody who leads yet. */
const TRIES_MAX = 40;
const TRY_AGAIN_MS = 250;
const ANSWER_MS_MAX = 10_000;

const signedInSchema = z.object({ accessToken: z.string() });
const keySchema = z.object({ id: z.string(), secret: z.string() });

export async function openTraders({ count, signal, ...opening }: Opening): Promise<readonly Trader[]> {
  const traders: Trader[] = [];
  for (let from = 0; from < count && !signal.aborted; from += AT_ONCE) {
    const indexes = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => from + index);
    traders.push(...(await Promise.all(indexes.map((index) => openTrader(index, opening)))));
  }
  return traders;
}

async function openTrader(index: number, { tag, folder, currencies, wayOf }: Omit<Opening, "count" | "signal">): Promise<Trader> {
  const username = `load_${tag}_${index}`;
  const account = { username, email: `${username}@load.invalid`, password: newSecret(systemRandom) };
  const made = await control(folder, "/users", account);
  if (!("id" in made)) throw new Error("the venue made no account");
  for (const currency of currencies) {
    await control(folder, "/deposits", {
      userId: made.id,
      currency,
      amount: FUNDS[currency] ?? FUNDS_ELSE,
      reference: `load:${tag}:${currency}`,
    });
  }
  const way = wayOf(index);
  const { accessToken } = signedInSchema.parse(await post(way, "/auth/login", { username, password: account.password }));
  const owner = { ...way, headers: { ...way.headers, authorization: `Bearer ${accessToken}` } };
  const key = keySchema.parse(await post(owner, "/api-keys", { label: "load", permissions: ["info", "trade"] }));
  return { index, userId: made.id, key };
}

async function control(folder: string, path: "/users" | "/deposits", body: object) {
  for (let tries = 1; ; tries++) {
    const answer = await askControl(folder, path, body);
    if (answer === undefined)
      throw new Error(`no venue runs on the data folder ${folder}: --data-dir names that of the venue, which must run on this machine`);
    if (!("refused" in answer)) return answer;
    if (tries >= TRIES_MAX) throw new Error(`the venue refused ${path}: ${answer.refused}`);
    await sleep(TRY_AGAIN_MS);
  }
}

async function post({ url, headers }: WayIn, path: string, json: object): Promise<unknown> {
  for (let tries = 1; ; tries++) {
    const response = await fetch(`${url}/api/v1${path}`, {
      method: "POST",
      headers: { ...headers, accept: "application/json", "content-type": "application/json" },
      body: JSON.stringify(json),
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    // The copy that serves sign-ins follows the record within two seconds.
    if (tries >= TRIES_MAX) throw new Error(`${path} was answered with ${response.status}: ${text}`);
    await sleep(TRY_AGAIN_MS);
  }
}
