import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below Linux' range for outgoing connections (32768 and up), so that a client socket of somebody else
 * cannot take the port between our look and our listen.
 */
const PORT_MIN = 20_000;
const PORT_MAX = 32_000;
const TRIES_MAX = 200;

/** Free, and ours until this process ends: whoever is told of it may take its time to listen, and nobody else is told of it. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const port = randomInt(PORT_MIN, PORT_MAX);
    if ((await claimPort(port)) && (await isPortFree(port))) return port;
  }
  throw new Error(`No free port found between ${PORT_MIN} and ${PORT_MAX}.`);
}

export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/**
 * A name that only one process of this machine can have at a time, and that is free again when the process is gone, however it ends. Such
 * names are Linux' own; elsewhere a port is only looked at.
 */
function claimPort(port: number): Promise<boolean> {
  if (process.platform !== "linux") return Promise.resolve(true);
  return new Promise((resolve) => {
    const claim = createServer();
    claim.once("error", () => resolve(false));
    claim.listen(`\0sluice-port-${port}`, () => resolve(true));
    claim.unref();
  });
}
