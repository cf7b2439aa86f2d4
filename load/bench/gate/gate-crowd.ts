import { createOperator } from "../../target/operator.ts";
import type { Entry, GateStack } from "./gate-stack.ts";

/** Visitors in each state, as the Cookie headers of their browsers. */
export type Crowd = {
  /** In the line of `hall`, which does not move. */
  readonly waiting: readonly string[];
  /** Inside `shop`. */
  readonly admitted: readonly string[];
};

/** A route leads to `shop`, which has room for all; `hall` and `door` are paused, so every visitor waits. */
export const INSIDE_PATH = "/shop/market/BTC-USD/book?depth=20";
export const JOIN_PATH = "/_sluice/queues/door/enter";
export const POLL_PATH = "/_sluice/queues/hall/heartbeat";
/** A route that does nothing. */
export const NO_OP_PATH = "/_sluice/jwks.json";

const ENOUGH_FOR_ALL = {
  maxActive: 1_000_000,
  // The shortest poll interval: a line this fast polls every second.
  admissionRate: 10_000,
  admissionBurst: 10_000,
  sessionTtlSeconds: 86_400,
  heartbeatTtlSeconds: 600,
};

export async function setUpQueues({ adminToken }: GateStack, { url }: Entry): Promise<void> {
  const { ask } = createOperator({ url, adminToken });
  await ask("POST", "/queues", { queueId: "shop", name: "Shop", ...ENOUGH_FOR_ALL });
  for (const queueId of ["hall", "door"])
    await ask("POST", "/queues", { queueId, name: queueId, mode: "paused", ...ENOUGH_FOR_ALL });
  await ask("POST", "/routes", { host: "*", path: "/shop/*", queueId: "shop" });
}

type CrowdSize = { readonly waiting: number; readonly admitted: number };

export async function gatherCrowd({ url }: Entry, { waiting, admitted }: CrowdSize): Promise<Crowd> {
  return {
    waiting: await inTurns(waiting, () =>
      enter(`${url}/_sluice/queues/hall/enter`, { status: 201, cookie: "sluice-ticket-hall=" }),
    ),
    admitted: await inTurns(admitted, async () =>
      claim(url, await enter(`${url}/_sluice/queues/shop/enter`, { status: 200, cookie: "sluice-pass-shop=" })),
    ),
  };
}

async function enter(url: string, expected: { readonly status: number; readonly cookie: string }): Promise<string> {
  const response = await fetch(url, { method: "POST" });
  const answer = await response.text();
  const [line = ""] = response.headers.getSetCookie();
  const [cookie = ""] = line.split(";");
  if (response.status !== expected.status || !cookie.startsWith(expected.cookie)) {
    throw new Error(`${url} was answered with ${response.status}: ${answer}`);
  }
  return cookie;
}

/** The first request with a pass claims the session, and brings the pass for the rest of it. */
async function claim(url: string, first: string): Promise<string> {
  const response = await fetch(url + INSIDE_PATH, { headers: { cookie: first } });
  await response.arrayBuffer();
  const cookie = response.headers.getSetCookie().find((line) => line.startsWith("sluice-pass-shop="));
  return cookie?.split(";")[0] ?? first;
}

/** Few enough that no request waits longer than the gate's store timeout, even on a busy machine. */
const AT_ONCE = 8;

/** A bounded number at a time. */
export async function inTurns<Value>(count: number, work: (index: number) => Promise<Value>): Promise<Value[]> {
  const values: Value[] = [];
  let started = 0;
  async function workOn(): Promise<void> {
    while (started < count) values.push(await work(started++));
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, workOn));
  return values;
}
