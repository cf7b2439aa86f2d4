import { type Bridge, startBridge } from "../bridge/bridge.ts";
import { createLogger } from "../stack/program/log.ts";
import { UNHURRIED_MS } from "./unhurried.ts";

const QUIET = createLogger("test", { write: () => {} });

/** A real bridge on a free port, for tests that are not about it. */
export function startUnhurriedBridge({
  redisUrl,
  token,
}: {
  readonly redisUrl: string;
  readonly token: string;
}): Promise<Bridge> {
  return startBridge({
    redisUrls: [redisUrl],
    isCluster: false,
    port: 0,
    token,
    allow: [],
    log: QUIET,
    requestTimeoutMs: UNHURRIED_MS,
  });
}
