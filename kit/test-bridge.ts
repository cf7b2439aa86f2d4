import { Redis as UpstashRedis } from "@upstash/redis";
import { type Bridge, type BridgeOptions, startBridge } from "../bridge/bridge.ts";
import { createLogger } from "../stack/program/log.ts";

/** For tests: a bridge on a free port, with the real client and a bare caller beside it. */
export type TestBridge = Bridge & {
  /** As an application has it, but without retries. */
  readonly client: (options?: ClientOptions) => UpstashRedis;
  readonly post: (path: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<HttpAnswer>;
};

export type HttpAnswer = { readonly status: number; readonly json: unknown; readonly headers: Headers };

type ClientOptions = {
  readonly automaticDeserialization?: boolean;
  readonly enableAutoPipelining?: boolean;
  readonly token?: string;
};

export const FULL_TOKEN = "full-token-of-the-tests";
export const READ_ONLY_TOKEN = "read-only-token-of-the-tests";

const QUIET = createLogger("bridge-test", { write: () => {} });

export async function startTestBridge(
  options: Partial<BridgeOptions> & Pick<BridgeOptions, "redisUrls">,
): Promise<TestBridge> {
  const bridge = await startBridge({
    isCluster: false,
    port: 0,
    token: FULL_TOKEN,
    readOnlyToken: READ_ONLY_TOKEN,
    allow: [],
    log: QUIET,
    ...options,
  });

  return {
    ...bridge,
    client: ({ token = FULL_TOKEN, ...rest } = {}) =>
      new UpstashRedis({
        url: bridge.url,
        token,
        retry: { retries: 0 },
        enableTelemetry: false,
        enableAutoPipelining: false,
        ...rest,
      }),
    post: async (path, body, headers = {}) => {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const response = await fetch(bridge.url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${FULL_TOKEN}`, ...headers },
        ...(body === undefined ? {} : { body: text }),
      });
      const answer = await response.text();
      return {
        status: response.status,
        json: answer === "" ? undefined : JSON.parse(answer),
        headers: response.headers,
      };
    },
  };
}

/** Waits for a condition that another process fulfils; throws when it does not. */
export async function until(condition: () => Promise<boolean> | boolean, withinMs = 30_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error("the condition did not come about in time");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export async function isHealthy(bridge: Bridge): Promise<boolean> {
  const response = await fetch(`${bridge.url}/health`);
  await response.arrayBuffer();
  return response.ok;
}
