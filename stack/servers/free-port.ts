import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below Linux' range for outgoing connections (32768 and up), so that another process' client socket cannot take the
 * port between the check and the listen.
 */
const PORT_MIN = 20_000;
const PORT_MAX = 32_000;
const TRIES_MAX = 200;

/** A free port, reserved until this process ends: its user may listen at any time, and no other caller gets it. */
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
 * Reserves a name that only one process of this machine can hold, and that is free again when the process ends, however
 * it ends. Such names (abstract sockets) exist only on Linux; elsewhere the port is only checked.
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
