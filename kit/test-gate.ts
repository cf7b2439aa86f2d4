import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { PrivateTokenKey } from "../shared/tokens/token-keys.ts";

/**
 * For tests: a gate's key set on a real port, which can change, break, hang and become unavailable. Counts its
 * requests.
 */
export type TestGate = {
  readonly url: URL;
  readonly asked: () => number;
  readonly publish: (keys: readonly PrivateTokenKey[]) => void;
  readonly answer: (status: number, body: string) => void;
  readonly hang: () => void;
  readonly stop: () => Promise<void>;
};

type Behaviour = { readonly status: number; readonly body: string } | "hang";

export async function startTestGate(keys: readonly PrivateTokenKey[]): Promise<TestGate> {
  let behaviour: Behaviour = { status: 200, body: keySetOf(keys) };
  let asked = 0;
  const server = createServer((_req, res) => {
    asked++;
    if (behaviour === "hang") return;
    res.writeHead(behaviour.status, { "content-type": "application/jwk-set+json", connection: "close" });
    res.end(behaviour.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  return {
    url: new URL(`http://127.0.0.1:${port}/_sluice/jwks.json`),
    asked: () => asked,
    publish: (next) => {
      behaviour = { status: 200, body: keySetOf(next) };
    },
    answer: (status, body) => {
      behaviour = { status, body };
    },
    hang: () => {
      behaviour = "hang";
    },
    stop: async () => {
      server.closeAllConnections();
      if (!server.listening) return;
      server.close();
      await once(server, "close");
    },
  };
}

export function keySetOf(keys: readonly PrivateTokenKey[]): string {
  return JSON.stringify({ keys: keys.map(({ d: _d, ...publicKey }) => ({ ...publicKey, alg: "EdDSA", use: "sig" })) });
}
