import { fileURLToPath } from "node:url";
import { afterAll, beforeEach } from "vitest";
import { startEdge } from "../../kit/start-edge.ts";
import { newTokenKey } from "../../shared/tokens/new-token-key.ts";
import type { EdgeServer } from "../../stack/servers/edge-server.ts";
import { type RecordingOrigin, startRecordingOrigin } from "./recording-origin.ts";

export type EdgeBeforeOrigin = { readonly edge: EdgeServer; readonly origin: RecordingOrigin };

/** The proxy without a gate in front of it: what it forwards and what it refuses is its own affair. */
export const BARE_PROXY = fileURLToPath(new URL("../../edge/bare/worker.ts", import.meta.url));

/** No store is asked on the way to the origin: an address without a server proves it. */
export const EDGE_VARIABLES = {
  CLIENT_ADDRESS_FROM: "socket",
  ORIGIN_TIMEOUT_MS: "5000",
  UPSTASH_REDIS_REST_URL: "http://127.0.0.1:1",
  UPSTASH_REDIS_REST_TOKEN: "unused",
  SLUICE_SIGNING_KEYS: JSON.stringify({ active: "k1", keys: [await newTokenKey("k1")] }),
};

/** The real proxy, in a workerd or in Node, before a real Node origin, for one test file. */
export async function edgeBeforeOrigin(variables: Readonly<Record<string, string>> = {}): Promise<EdgeBeforeOrigin> {
  const origin = await startRecordingOrigin();
  const edge = await startEdge({
    entry: "bare-proxy",
    originAddress: origin.address,
    storeAddress: "127.0.0.1:1",
    variables: { ...EDGE_VARIABLES, ...variables },
  });
  beforeEach(() => origin.reset());
  afterAll(async () => {
    await edge.stop();
    await origin.stop();
  });
  return { edge, origin };
}
