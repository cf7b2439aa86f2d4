import { z } from "zod";
import { defineScript } from "../../shared/define-script.ts";
import { log } from "../log.ts";
import { queueKeys, sessionKey } from "../queue/keys.ts";
import { issueTicket } from "./issue.ts";
import noteMetadataSource from "./note-metadata.lua";
import type { GuardedQueue } from "./open-gate.ts";
import type { Turn } from "./turn.ts";

const noteMetadataScript = defineScript({
  name: "note-metadata",
  source: noteMetadataSource,
  keys: ["active", "session"],
  args: { sessionId: z.string(), metadata: z.string() },
  reply: z.union([z.literal(0), z.literal(1)]),
});

/**
 * What came along with a join: while its visitor waits it travels with the signed ticket, so that the store holds it only for people who are
 * in, and then it is kept with the session. `metadata` is JSON.
 */
export async function keepMetadata(queue: GuardedQueue, turn: Turn, metadata: string): Promise<Turn> {
  if (turn.state === "admitted") noteMetadata(queue, { sessionId: turn.pass.sessionId, metadata });
  if (turn.state !== "waiting") return turn;
  const { ticket } = turn.issued;
  const place = { ...ticket, metadata, enqueuedAtMs: ticket.issuedAtSeconds * 1000 };
  const issued = await issueTicket(queue.gate.tokens, place, { nowMs: queue.gate.clock.nowMs(), settings: queue.settings });
  return { ...turn, issued };
}

/** After the answer: nobody waits for it. */
export function noteMetadata(queue: GuardedQueue, noted: { readonly sessionId: string; readonly metadata: string | undefined }): void {
  const { sessionId, metadata } = noted;
  if (metadata === undefined) return;
  const { queueId, gate } = queue;
  const keys = { active: queueKeys(queueId).active, session: sessionKey(queueId, sessionId) };
  const kept = noteMetadataScript.run(gate.store.once, { keys, args: { sessionId, metadata } });
  queue.later(kept.catch((error: unknown) => log("warn", "a session's metadata could not be kept", { queueId, error })));
}
