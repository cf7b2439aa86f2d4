import { fileURLToPath } from "node:url";
import { signRequest } from "../../../kit/sign-request.ts";
import { systemClock } from "../../../shared/clock.ts";
import { freePort } from "../../../stack/servers/free-port.ts";
import { alternate, type Benchmark, type BenchmarkRow, benchmarkRow, median } from "../benchmark.ts";
import { type HttpFigures, type HttpLoad, measureFaultless, type RequestVariant } from "../http/http-load.ts";
import { type NodeServer, startNodeServer } from "../http/node-server.ts";
import {
  type IdentityStack,
  OTHER_CORE,
  PASSWORD,
  type Person,
  SUBJECT_CORE,
  startIdentityStack,
} from "./identity-stack.ts";

/**
 * Authentication at the origin, on one core: a signed request compared with the same request with an access token, on a
 * route that does nothing else; and a sign-in compared with a plain password check. Redis, with fsync for every write,
 * and the load share the other core. Figures are in the origin's processor time, which other processes do not change;
 * the notes have the rates by the clock.
 */
export const identityBenchmark: Benchmark = {
  name: "identity",
  run: async ({ quick }) => {
    const effort = quick ? QUICK : FULL;
    const stack = await startIdentityStack({ count: effort.people, nowMs: systemClock.nowMs() });
    const bare = await startBareCheck();
    try {
      return [await compareSigned(stack, effort), await compareLogins(stack, { effort, bare })];
    } finally {
      await Promise.all([stack.stop(), bare.stop()]);
    }
  },
};

/**
 * The rate limit of a user is 200 reads at once and 50 a second: so many users saturate a core. `requests` bounds each
 * measurement: on a fast machine a quick run would otherwise reach the limit of its few users.
 */
const FULL = { rounds: 9, durationMs: 2_000, people: 100, requests: 15_000, connections: 50 };
const QUICK = { rounds: 1, durationMs: 400, people: 8, requests: 640, connections: 4 };

/** Enough for the thread pool, and a few that wait. */
const LOGIN_CONNECTIONS = 8;
/** Signature verification adds at most 15 %. */
const SIGNED_AIM = 1 / 1.15;
const LOGIN_AIM = 0.85;
const PATH = "/api/v1/me";
/** The longest window of a signed request. */
const WINDOW_MS = 10_000;
const UNIT = "per second of the origin's time";

type Effort = typeof FULL;

async function compareSigned(stack: IdentityStack, effort: Effort): Promise<BenchmarkRow> {
  const { url, headers, people } = stack;
  const load = {
    url: url + PATH,
    headers: { ...headers, "x-forwarded-for": "198.51.100.1" },
    connections: effort.connections,
    requestsMax: effort.requests,
  };
  const each = (variantOf: (person: Person, index: number) => RequestVariant) =>
    Array.from({ length: effort.requests }, (_, index) => variantOf(people[index % people.length] as Person, index));
  const withToken = each(({ accessToken }) => ({ headers: { authorization: `Bearer ${accessToken}` } }));
  // A signature is valid once and for some seconds, so they are made just before.
  const withSignatures = () => each(({ key }, index) => ({ headers: signed(key, index) }));
  return compare(effort, {
    what: "a request signed with an API key, against the same with an access token",
    aim: SIGNED_AIM,
    subject: { server: stack, load: () => ({ ...load, variants: withSignatures() }) },
    baseline: { server: stack, load: () => ({ ...load, variants: withToken }) },
  });
}

function signed(key: Person["key"], index: number): Record<string, string> {
  return signRequest({ ...key, method: "GET", path: PATH, nonce: String(index), windowMs: WINDOW_MS });
}

type LoginSides = { readonly effort: Effort; readonly bare: NodeServer };

function compareLogins(stack: IdentityStack, { effort, bare }: LoginSides): Promise<BenchmarkRow> {
  const { url, headers, people } = stack;
  const variants = people.map(({ username }) => ({ body: JSON.stringify({ username, password: PASSWORD }) }));
  const load = {
    method: "POST",
    connections: LOGIN_CONNECTIONS,
    headers: { ...headers, "x-forwarded-for": "198.51.100.1" },
    variants,
  };
  return compare(effort, {
    what: "a sign-in, against a plain Argon2id check of its password",
    aim: LOGIN_AIM,
    subject: { server: stack, load: () => ({ ...load, url: `${url}/api/v1/auth/login` }) },
    baseline: { server: bare, load: () => ({ ...load, url: `${bare.url}/` }) },
  });
}

type Comparison = { readonly what: string; readonly aim: number; readonly subject: Side; readonly baseline: Side };

type Side = { readonly server: Pick<NodeServer, "cpuSeconds">; readonly load: () => Omit<HttpLoad, "durationMs"> };

async function compare(
  { rounds, durationMs }: Effort,
  { what, aim, subject, baseline }: Comparison,
): Promise<BenchmarkRow> {
  const seen = new Map<Side, HttpFigures[]>([subject, baseline].map((side) => [side, []]));

  async function measure(side: Side): Promise<number> {
    const load = side.load();
    const beforeSeconds = side.server.cpuSeconds();
    const figures = await measureFaultless({ ...load, durationMs, warmUpMs: 0, core: OTHER_CORE });
    seen.get(side)?.push(figures);
    return figures.answers / (side.server.cpuSeconds() - beforeSeconds);
  }

  for (const side of [subject, baseline]) await measure(side);
  const measured = await alternate({ rounds, subject: () => measure(subject), baseline: () => measure(baseline) });
  const perSecond = (side: Side) =>
    Math.round(median(seen.get(side)?.map(({ requestsPerSecond }) => requestsPerSecond) ?? []));
  const notes = `by the clock ${perSecond(subject)} and ${perSecond(baseline)} a second`;
  return { ...benchmarkRow({ what, unit: UNIT, aim, ...measured }), notes };
}

async function startBareCheck() {
  const file = fileURLToPath(new URL("./argon2-server.ts", import.meta.url));
  const port = await freePort();
  const environment = { PORT: String(port) };
  return startNodeServer({ core: SUBJECT_CORE, file, environment, url: `http://127.0.0.1:${port}`, readyPath: "/" });
}
