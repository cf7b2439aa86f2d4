import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { askControl } from "../../origin/operators/ask-control.ts";
import { newSecret, systemRandom } from "../../shared/ids.ts";
import type { WayIn } from "./way-in.ts";

/** A user with money and an API key. */
export type Trader = {
  readonly index: number;
  readonly userId: string;
  readonly key: { readonly id: string; readonly secret: string };
};

type Opening = {
  readonly count: number;
  /** Part of the user names of this run. */
  readonly tag: string;
  /** The venue's data folder, with the control socket that creates accounts and deposits. */
  readonly folder: string;
  readonly currencies: readonly string[];
  readonly wayOf: (index: number) => WayIn;
  readonly signal: AbortSignal;
};

/** More than a run spends. */
const FUNDS: Readonly<Record<string, string>> = {
  idr: "1000000000000",
  usdt: "100000000",
  btc: "10000",
  eth: "100000",
};
const FUNDS_ELSE = "1000000";
/** Password hashing is slow and runs on a few threads. */
const AT_ONCE = 4;
/** A venue that has just started may have no leader yet. */
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

async function openTrader(
  index: number,
  { tag, folder, currencies, wayOf }: Omit<Opening, "count" | "signal">,
): Promise<Trader> {
  const way = wayOf(index);
  const { userId, authorization } = await openAccount({ username: `load_${tag}_${index}`, folder, currencies, way });
  const owner = { ...way, headers: { ...way.headers, authorization } };
  const key = keySchema.parse(await post(owner, "/api-keys", { label: "load", permissions: ["info", "trade"] }));
  return { index, userId, key };
}

type NewAccount = Pick<Opening, "folder" | "currencies"> & { readonly username: string; readonly way: WayIn };

/** An account with money and a session. */
export async function openAccount({ username, folder, currencies, way }: NewAccount) {
  const account = { username, email: `${username}@load.invalid`, password: newSecret(systemRandom) };
  const made = await control(folder, "/users", account);
  if (!("id" in made)) throw new Error("the venue made no account");
  for (const currency of currencies) {
    const amount = FUNDS[currency] ?? FUNDS_ELSE;
    await control(folder, "/deposits", { userId: made.id, currency, amount, reference: `load:${currency}` });
  }
  const { accessToken } = signedInSchema.parse(
    await post(way, "/auth/login", { username, password: account.password }),
  );
  return { userId: made.id, authorization: `Bearer ${accessToken}` };
}

async function control(folder: string, path: "/users" | "/deposits", body: object) {
  for (let tries = 1; ; tries++) {
    const answer = await askControl(folder, path, body);
    if (answer === undefined)
      throw new Error(
        `no venue is running with the data folder ${folder}: --data-dir must name the folder of a venue on this machine`,
      );
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
    // Sign-ins are served from a copy that follows the database within two seconds.
    if (tries >= TRIES_MAX) throw new Error(`${path} was answered with ${response.status}: ${text}`);
    await sleep(TRY_AGAIN_MS);
  }
}
