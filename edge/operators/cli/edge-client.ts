import { setTimeout as sleep } from "node:timers/promises";
import type { BypassRule } from "../../line/bypass-rule.ts";
import type { Route } from "../../line/route.ts";
import type { QueueSettings } from "../../line/settings.ts";

/** The edge's present state, with the versions that prevent lost updates. */
export type CurrentState = {
  readonly queues: ReadonlyMap<string, CurrentQueue>;
  readonly table: { readonly routes: readonly Route[]; readonly bypass: readonly BypassRule[]; readonly etag: string };
};

export type CurrentQueue = {
  readonly settings: QueueSettings;
  readonly etag: string;
  readonly waiting: number;
  readonly active: number;
};

export type EdgeClient = {
  readonly read: () => Promise<CurrentState>;
  readonly send: (method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, options?: SendOptions) => Promise<void>;
};

type SendOptions = { readonly body?: unknown; readonly etag?: string };

/** The edge said no, or nothing. The message is for the operator. */
export class EdgeRefusal extends Error {
  override readonly name = "EdgeRefusal";
}

type ClientOptions = {
  readonly url: string;
  readonly token: string;
  /** The names of a queue's settings: what else an answer holds was measured. */
  readonly settingNames: readonly string[];
};

const CALL_MS_MAX = 15_000;
const TRIES_MAX = 20;
const RETRY_AFTER_SECONDS_MAX = 10;

export function createEdgeClient({ url, token, settingNames }: ClientOptions): EdgeClient {
  const site = `${url.replace(/\/+$/, "")}/_sluice/admin`;

  async function call(method: string, path: string, { body, etag }: SendOptions = {}): Promise<Response> {
    const headers: Record<string, string> = { authorization: `Bearer ${token}`, accept: "application/json" };
    if (body !== undefined) headers["content-type"] = "application/json";
    if (etag !== undefined) headers["if-match"] = etag;
    const init = {
      method,
      headers,
      redirect: "error" as const,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    for (let tries = 1; ; tries++) {
      const response = await ask(`${site}${path}`, init);
      if (response.status !== 429 || tries === TRIES_MAX) return response;
      const seconds = Number(response.headers.get("retry-after") ?? 1);
      await sleep(Math.min(RETRY_AFTER_SECONDS_MAX, Math.max(1, seconds)) * 1000);
    }
  }

  async function read(): Promise<CurrentState> {
    const { queues } = (await jsonOf(await call("GET", "/queues"))) as { readonly queues: readonly AnsweredQueue[] };
    const tableResponse = await call("GET", "/routes");
    const { routes, bypass } = (await jsonOf(tableResponse)) as Omit<CurrentState["table"], "etag">;
    return {
      queues: new Map(queues.map((queue) => [queue.queueId, toCurrent(queue)])),
      table: { routes, bypass, etag: tableResponse.headers.get("etag") ?? "" },
    };
  }

  function toCurrent(queue: AnsweredQueue): CurrentQueue {
    const settings = Object.fromEntries(settingNames.map((name) => [name, queue[name]])) as QueueSettings;
    return { settings, etag: `"${queue.version}"`, waiting: queue.waiting, active: queue.active };
  }

  return {
    read,
    async send(method, path, options) {
      const response = await call(method, path, options);
      if (!response.ok) throw await refusalOf(response);
    },
  };
}

type AnsweredQueue = Readonly<Record<string, unknown>> & {
  readonly queueId: string;
  readonly version: number;
  readonly waiting: number;
  readonly active: number;
};

async function ask(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(CALL_MS_MAX) });
  } catch {
    throw new EdgeRefusal(`The edge at ${new URL(url).origin} cannot be reached.`);
  }
}

async function jsonOf(response: Response): Promise<unknown> {
  if (response.ok) return response.json();
  throw await refusalOf(response);
}

type Problem = {
  readonly title?: string;
  readonly detail?: string;
  readonly code?: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
};

async function refusalOf(response: Response): Promise<EdgeRefusal> {
  const problem = (await response.json().catch(() => ({}))) as Problem;
  const { title = `The edge answered ${response.status}.`, detail, code, errors = [] } = problem;
  const lines = errors.map(({ field, message }) => `\n    ${field}: ${message}`).join("");
  return new EdgeRefusal(
    `${title}${detail === undefined ? "" : ` ${detail}`}${code === undefined ? "" : ` (${code})`}${lines}`,
  );
}
