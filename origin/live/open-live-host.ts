import type { Logger } from "pino";
import type { Clock } from "../../shared/clock.ts";
import { type FillRandom, newId } from "../../shared/ids.ts";
import { openHeldKeys } from "../accounts/api-keys/held-keys.ts";
import { openHeldSessions } from "../accounts/identity/held-sessions.ts";
import { openKnownBoard } from "../prices/board/known-board.ts";
import { connectRedis } from "../redis/connect.ts";
import { keepConnectionList } from "./connection-list.ts";
import { FLUSH_TIMES } from "./fan-out/flush-times.ts";
import { openHub } from "./fan-out/hub.ts";
import type { LiveHost } from "./live-server.ts";
import { createUpdatePublisher } from "./publish-updates.ts";
import type { Hold, SignIn } from "./sockets/live-identity.ts";
import { createSocketHost, type SocketHost } from "./sockets/socket-host.ts";
import { streamOnResponse } from "./sockets/stream-response.ts";

export type LiveSettings = {
  readonly VENUE_REDIS_URL: string;
  readonly SLUICE_SOCKETS_PER_ADDRESS: number;
  readonly SLUICE_LIVE_BOOK_MS: number;
  readonly SLUICE_LIVE_SUMMARY_MS: number;
};

type HostParts = {
  readonly settings: LiveSettings;
  readonly signIn: SignIn;
  readonly maintenance: () => { readonly message: string } | undefined;
  readonly clock: Clock;
  readonly random: FillRandom;
  readonly log: Logger;
};

/** The hub and its sockets in this process, for the server of the same process. */
export function openLiveHost(parts: HostParts): LiveHost {
  const sockets = openLiveSockets(parts);
  return {
    accept: sockets.accept,
    acceptStream: (request, outgoing) => sockets.acceptStream(request, streamOnResponse(outgoing)),
    stop: sockets.stop,
  };
}

/** The hub and its sockets, with connections of their own to the venue's Redis. */
export function openLiveSockets({ settings, ...parts }: HostParts): SocketHost {
  const { log } = parts;
  const url = settings.VENUE_REDIS_URL;
  const [redis, reader] = [connectRedis(url, log), connectRedis(url, log)];
  const { SLUICE_LIVE_BOOK_MS: fast, SLUICE_LIVE_SUMMARY_MS: slow } = settings;
  const { clock, random, maintenance } = parts;
  const publisher = createUpdatePublisher({ redis, owner: `${process.pid}.${newId(random)}`, maintenance, log });
  const board = openKnownBoard({ redis, clock, log });
  const hub = openHub({
    ...{ redis, reader, clock, log, alsoNotify: publisher.note, flushMs: { ...FLUSH_TIMES, fast, slow } },
    sources: { maintenance, board: board.current },
  });
  const heldSessions = openHeldSessions({ redis, log });
  const heldKeys = openHeldKeys({ redis });
  const hold: Hold = ({ userId, role, proof }, onEnd) =>
    "sessionId" in proof
      ? heldSessions.hold({ userId, role, sessionId: proof.sessionId, onEnd })
      : heldKeys.hold({ userId, role, keyId: proof.apiKeyId, onEnd });
  const sockets = createSocketHost({
    ...parts,
    ...{ hub, hold, socketsPerAddress: settings.SLUICE_SOCKETS_PER_ADDRESS },
  });
  const list = keepConnectionList({ redis, connections: sockets.connections, clock });
  return {
    ...sockets,
    async stop() {
      await sockets.stop();
      await Promise.all([publisher.stop(), list.stop()]);
      const stopped = hub.stop();
      heldSessions.stop();
      heldKeys.stop();
      board.stop();
      // It may be waiting for entries.
      reader.disconnect();
      await stopped;
      redis.disconnect();
    },
  };
}
