import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { askControl } from "../../origin/operators/ask-control.ts";
import { checkAuction } from "../../origin/operators/auction/check-auction.ts";
import { fetchAuction } from "../../origin/operators/auction/fetch-auction.ts";
import { newSecret, systemRandom } from "../../shared/ids.ts";
import type { WayIn } from "../trade/way-in.ts";

/** The pairs of a run in an auction: what the crowd sends is collected, and trades at the second bell. */
export type OpeningAuction = {
  /** Waits for the openings and recomputes each from public data; the result for the report. Throws if one is wrong. */
  readonly verify: () => Promise<string>;
};

type AuctionParts = {
  readonly way: WayIn;
  /** The venue's data folder, with the control socket that creates an admin. */
  readonly folder: string;
  readonly pairs: readonly string[];
  readonly opensAt: number;
  readonly nowMs: () => number;
};

const ANSWER_MS_MAX = 10_000;
/** Sign-ins are served from a copy that follows the database within two seconds. */
const TRIES_MAX = 40;
const LOOK_EVERY_MS = 250;
/** After the bell: the uncross, and the record in PostgreSQL. */
const OPEN_WITHIN_MS = 60_000;
const FREEZE_SECONDS = 1;

const signedInSchema = z.object({ accessToken: z.string() });
const pairsSchema = z.object({ pairs: z.array(z.looseObject({ pair: z.string() })) });
const auctionSchema = z.looseObject({ state: z.string(), number: z.int() });

export async function openAuction({ way, folder, pairs, opensAt, nowMs }: AuctionParts): Promise<OpeningAuction> {
  const authorization = await signInAdmin(way, folder);
  const known = pairsSchema.parse(await call(way, "/market/pairs")).pairs;
  for (const terms of known.filter(({ pair }) => pairs.includes(pair))) {
    const { pair, name: _name, lastPrice: _lastPrice, version: _version, isTrading: _isTrading, ...rest } = terms;
    const schedule = { state: "auction", auctionOpensAt: opensAt, auctionFreezeSeconds: FREEZE_SECONDS };
    const admin = { ...way, headers: { ...way.headers, authorization } };
    await call(admin, `/admin/pairs/${pair}`, { method: "PUT", json: { ...rest, ...schedule } });
  }
  return {
    async verify() {
      const results: string[] = [];
      for (const pair of pairs) results.push(await verifyOne({ way, pair, untilMs: opensAt + OPEN_WITHIN_MS, nowMs }));
      return results.join("; ");
    },
  };
}

type Verifying = {
  readonly way: WayIn;
  readonly pair: string;
  readonly untilMs: number;
  readonly nowMs: () => number;
};

async function verifyOne({ way, pair, untilMs, nowMs }: Verifying): Promise<string> {
  for (;;) {
    const { state, number } = auctionSchema.parse(await call(way, `/market/${pair}/auction`));
    const auction =
      state === "opened" ? await fetchAuction({ ...way, pair, number }).catch(() => undefined) : undefined;
    if (auction !== undefined) {
      const faults = checkAuction(auction);
      if (faults.length > 0) throw new Error(`the opening of ${pair} is not correct: ${faults.join(" ")}`);
      const { price, volume, orders, trades } = auction.record;
      return `${pair} opened at ${price ?? "no price"}, ${volume} in ${trades} trades of ${orders} orders, verified`;
    }
    if (nowMs() > untilMs) throw new Error(`${pair} has not opened, or has no record of its opening`);
    await sleep(LOOK_EVERY_MS);
  }
}

async function signInAdmin(way: WayIn, folder: string): Promise<string> {
  const name = `bell_${newSecret(systemRandom)
    .slice(0, 8)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "x")}`;
  const account = { username: name, email: `${name}@load.invalid`, password: newSecret(systemRandom) };
  const made = await askControl(folder, "/admins", account);
  if (made === undefined || "refused" in made) throw new Error("the venue made no admin for the opening");
  const json = { username: name, password: account.password };
  for (let tries = 1; ; tries++) {
    try {
      const { accessToken } = signedInSchema.parse(await call(way, "/auth/login", { method: "POST", json }));
      return `Bearer ${accessToken}`;
    } catch (error) {
      if (tries >= TRIES_MAX) throw error;
      await sleep(LOOK_EVERY_MS);
    }
  }
}

type Call = { readonly method?: "GET" | "POST" | "PUT"; readonly json?: object };

async function call({ url, headers }: WayIn, path: string, { method = "GET", json }: Call = {}): Promise<unknown> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { ...headers, accept: "application/json", ...(json && { "content-type": "application/json" }) },
    ...(json && { body: JSON.stringify(json) }),
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${text}`);
  return JSON.parse(text);
}
