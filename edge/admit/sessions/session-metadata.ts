import { z } from "zod";
import { defineScript } from "../../../shared/store/define-script.ts";
import { queueKeys, sessionKey } from "../../line/keys.ts";
import { log } from "../../request/log.ts";
import { issueTicket } from "../issue.ts";
import type { GuardedQueue } from "../open-gate.ts";
import type { Turn } from "../turn.ts";
import noteMetadataSource from "./note-metadata.lua";

const noteMetadataScript = defineScript({
  name: "note-metadata",
  source: noteMetadataSource,
  keys: ["active", "session"],
  args: { sessionId: z.string(), metadata: z.string() },
  reply: z.union([z.literal(0), z.literal(1)]),
});

/**
 * The metadata of a join: while its visitor waits it is in the signed ticket, so that the store holds it only for
 * admitted visitors; then it is kept with the session. `metadata` is JSON.
 */
export async function keepMetadata<Kept extends Turn>(
  queue: GuardedQueue,
  turn: Kept,
  metadata: string,
): Promise<Kept> {
  if (turn.state === "admitted") noteMetadata(queue, { sessionId: turn.pass.sessionId, metadata });
  if (turn.state !== "waiting") return turn;
  const { ticket } = turn.issued;
  const place = { ...ticket, metadata, enqueuedAtMs: ticket.issuedAtSeconds * 1000 };
  const issued = await issueTicket(queue.gate.tokens, place, {
    nowMs: queue.gate.clock.nowMs(),
    settings: queue.settings,
  });
  return { ...turn, issued };
}

/** After the response: no request waits for it. */
export function noteMetadata(
  queue: GuardedQueue,
  noted: { readonly sessionId: string; readonly metadata: string | undefined },
): void {
  const { sessionId, metadata } = noted;
  if (metadata === undefined) return;
  const { queueId, gate } = queue;
  const keys = { active: queueKeys(queueId).active, session: sessionKey(queueId, sessionId) };
  const kept = noteMetadataScript.run(gate.store.once, { keys, args: { sessionId, metadata } });
  queue.later(kept.catch((error: unknown) => log("warn", "cannot store a session's metadata", { queueId, error })));
}
