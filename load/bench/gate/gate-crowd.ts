import type { Entry, GateStack } from "./gate-stack.ts";

/** Visitors of every kind, each as the Cookie header that a browser would send. */
export type Crowd = {
  /** People in the line of `hall`, which does not move. */
  readonly waiting: readonly string[];
  /** People inside `shop`. */
  readonly admitted: readonly string[];
};

/** A route leads to `shop`, where there is room for all; `hall` and `door` are closed for now, so that whoever comes waits. */
export const INSIDE_PATH = "/shop/market/BTC-USD/book?depth=20";
export const JOIN_PATH = "/_sluice/queues/door/enter";
export const POLL_PATH = "/_sluice/queues/hall/heartbeat";

const ENOUGH_FOR_ALL = {
  maxActive: 1_000_000,
  // The shortest polls: a line that is thought to be this fast is told to ask again after a second.
  admissionRate: 10_000,
  admissionBurst: 10_000,
  sessionTtlSeconds: 86_400,
  heartbeatTtlSeconds: 600,
};

export async function setUpQueues({ adminToken }: GateStack, { url }: Entry): Promise<void> {
  const ask = (method: string, path: string, body: unknown) => askOperator(`${url}/_sluice/admin${path}`, { method, body, adminToken });
  await ask("POST", "/queues", { queueId: "shop", name: "Shop", ...ENOUGH_FOR_ALL });
  for (const queueId of ["hall", "door"]) await ask("POST", "/queues", { queueId, name: queueId, mode: "paused", ...ENOUGH_FOR_ALL });
  await ask("POST", "/routes", { host: "*", path: "/shop/*", queueId: "shop" });
}

type Question = { readonly method: string; readonly body: unknown; readonly adminToken: string };

async function askOperator(url: string, { method, body, adminToken }: Question): Promise<void> {
  const headers = { authorization: `Bearer ${adminToken}`, "content-type": "application/json" };
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${method} ${url} was answered with ${response.status}: ${answer}`);
}

type CrowdSize = { readonly waiting: number; readonly admitted: number };

export async function gatherCrowd({ url }: Entry, { waiting, admitted }: CrowdSize): Promise<Crowd> {
  return {
    waiting: await inTurns(waiting, () => enter(`${url}/_sluice/queues/hall/enter`, { status: 201, cookie: "sluice-ticket-hall=" })),
    admitted: await inTurns(admitted, () => enter(`${url}/_sluice/queues/shop/enter`, { status: 200, cookie: "sluice-pass-shop=" })),
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

/** Few enough that, also on a busy machine, nobody stands behind the others for longer than the gate gives its store. */
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
