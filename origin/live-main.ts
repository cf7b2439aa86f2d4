import type { Socket } from "node:net";
import { systemClock } from "../shared/clock.ts";
import { systemRandom } from "../shared/ids.ts";
import { createLogger } from "../stack/program/log.ts";
import { yieldToTrading } from "./db/yield-to-trading.ts";
import { parseOriginEnvironment } from "./environment.ts";
import { openLiveSockets } from "./live/open-live-host.ts";
import { type FromLive, LIVE_NICENESS, type ToLive } from "./live/process-messages.ts";
import type { SignIn } from "./live/sockets/live-identity.ts";
import { streamOnSocket } from "./live/sockets/stream-response.ts";
import { connectRedis } from "./redis/connect.ts";
import { keepStoreClock } from "./redis/keep-store-clock.ts";
import { openSystemCopy } from "./system/system-copy.ts";

/**
 * The process of the sockets, beside an engine: thousands of sockets must not take the engine's time. The api process
 * starts it, accepts the connections, judges the handshakes and hands the sockets over; this process follows the journal
 * and serves them. It ends with the api process.
 */
const log = createLogger("live");
const environment = parseOriginEnvironment(process.env);
if (!environment.ok) {
  log.fatal({ faults: environment.reason }, "the settings are invalid");
  process.exit(1);
}
const settings = environment.value;
yieldToTrading(LIVE_NICENESS);
const redis = connectRedis(settings.VENUE_REDIS_URL, log);
const clock = await keepStoreClock({ redis, own: systemClock, log });
const system = openSystemCopy({ redis, log });

const asked = new Map<number, (message: Extract<ToLive, { readonly kind: "signedIn" }>) => void>();
let askedCount = 0;
const tell = (message: FromLive) => void process.send?.(message);

const signIn: SignIn = async (credentials, address) => {
  const id = ++askedCount;
  const { result } = await new Promise<Extract<ToLive, { readonly kind: "signedIn" }>>((resolve) => {
    asked.set(id, resolve);
    tell({ kind: "signIn", id, credentials, address });
  });
  // The error that the connection knows as an unavailable store.
  if (result === undefined) throw new Error("Connection is closed: the sign-in could not be verified");
  return result;
};

const sockets = openLiveSockets({
  settings,
  signIn,
  maintenance: system.maintenance,
  clock,
  random: systemRandom,
  log,
});

async function stop(): Promise<void> {
  await sockets.stop();
  process.exit(0);
}

function receive(message: ToLive, socket: Socket | undefined): void {
  switch (message.kind) {
    case "socket":
      // Undefined when the client has left meanwhile.
      if (socket !== undefined) sockets.accept(message.handshake, socket, Buffer.from(message.head, "base64"));
      return;
    case "stream":
      if (socket !== undefined) sockets.acceptStream(message.request, streamOnSocket(socket.setNoDelay(true)));
      return;
    case "signedIn":
      asked.get(message.id)?.(message);
      asked.delete(message.id);
      return;
    case "stop":
      void stop();
  }
}

process.on("message", (message, handle) => receive(message as ToLive, handle as Socket | undefined));
process.on("disconnect", () => process.exit(0));
// The api process decides when to stop: a signal to the whole group must not close the sockets without a word.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
tell({ kind: "ready" });
