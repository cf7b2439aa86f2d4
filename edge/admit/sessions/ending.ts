import { z } from "zod";
import { defineScript } from "../../../shared/store/define-script.ts";
import { banKey, revocationKey, usedKey } from "../../line/keys.ts";
import { log } from "../../request/log.ts";
import type { GuardedQueue } from "../open-gate.ts";
import { StoreUnavailable } from "../outage/outage.ts";
import type { Turn } from "../turn.ts";
import readEndingSource from "./read-ending.lua";

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
 * How a session was ended: by an operator or the application (`revoked`: its visitor joins again only on purpose, and
 * after the ban), or in the ordinary way. One store call. While the store is unavailable, what was ended counts as
 * revoked.
 */
export async function askEnding(queue: GuardedQueue, { sessionId, jti = NO_PASS }: EndedSession): Promise<Turn> {
  const { queueId } = queue;
  // This edge ended it itself, and the store may not have been told yet.
  if (queue.revocations.isLearnedAsRevoked(sessionId))
    return { state: "revoked", banLeftMs: queue.settings.banSeconds * 1000 };
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
    if (!(error instanceof StoreUnavailable)) log("error", "cannot read how a session ended", { queueId, error });
    return { state: "revoked", banLeftMs: 0 };
  }
}
