import { z } from "zod";
import { defineScript } from "../../shared/define-script.ts";
import { log } from "../log.ts";
import { banKey, revocationKey, usedKey } from "../queue/keys.ts";
import type { GuardedQueue } from "./open-gate.ts";
import { StoreUnavailable } from "./outage.ts";
import readEndingSource from "./read-ending.lua";
import type { Turn } from "./turn.ts";

const readEndingScript = defineScript({
  name: "read-ending",
  source: readEndingSource,
  keys: ["used", "session", "pass", "ban"],
  args: {},
  reply: z.tuple([z.enum(["revoked", "completed", "left", "expired"]), z.number().int().nonnegative()]),
});

/** A session that its visitor shows and that is over. `jti` where it was shown by a pass. */
export type EndedSession = { readonly sessionId: string; readonly jti?: string | undefined };

const NO_PASS = "-";

/**
 * How a session was ended: by an operator or the application (`revoked`: its visitor joins again only on purpose, and after the
 * ban), or in the ordinary way. One store call. While the store is unavailable, what was ended counts as revoked.
 */
export async function askEnding(queue: GuardedQueue, { sessionId, jti = NO_PASS }: EndedSession): Promise<Turn> {
  const { queueId } = queue;
  // This edge ended it itself, and the store may not have been told yet.
  if (queue.revocations.isLearnedAsRevoked(sessionId)) return { state: "revoked", banLeftMs: queue.settings.banSeconds * 1000 };
  try {
    const keys = {
      used: usedKey(queueId, sessionId),
      session: revocationKey(queueId, sessionId),
      pass: revocationKey(queueId, jti),
      ban: banKey(queueId, sessionId),
    };
    const [reason, banLeftMs] = await readEndingScript.run(queue.store, { keys, args: {} });
    return reason === "revoked" ? { state: "revoked", banLeftMs } : { state: "ended", reason };
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) log("error", "how a session was ended could not be read", { queueId, error });
    return { state: "revoked", banLeftMs: 0 };
  }
}
