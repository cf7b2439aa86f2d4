import type { WaitingFacts } from "../room-state.ts";
import type { EndedReason } from "../texts/room-texts.ts";

/** The result of one poll. */
export type LineReply =
  | (WaitingFacts & { readonly state: "waiting"; readonly pollAfterMs: number; readonly message?: string })
  | { readonly state: "admitted" }
  | { readonly state: "ended"; readonly reason: EndedReason }
  /** The queue is not there any more, or not open yet: whatever stands at this address now is to be asked for. */
  | { readonly state: "gone" }
  /** No answer, or one that says: later. */
  | { readonly state: "later"; readonly afterMs: number };

/** A poll that takes longer would be overtaken by the next one. */
const ANSWER_MS_MAX = 10_000;

const SHOWN: readonly string[] = ["waiting", "admitted", "ended"] satisfies LineReply["state"][];

/** Never rejects: a visitor's connection may break at any moment. */
export async function askLine(queueId: string): Promise<LineReply> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), ANSWER_MS_MAX);
  try {
    const response = await fetch(`/_sluice/queues/${queueId}/heartbeat`, {
      method: "POST",
      headers: { accept: "application/json" },
      cache: "no-store",
      signal: patience.signal,
    });
    if (response.status === 401) return { state: "ended", reason: "lost" };
    if (response.status === 404) return { state: "gone" };
    if (!response.ok) return { state: "later", afterMs: Number(response.headers.get("retry-after") ?? 0) * 1000 };
    const reply = (await response.json()) as LineReply;
    return SHOWN.includes(reply.state) ? reply : { state: "gone" };
  } catch {
    return { state: "later", afterMs: 0 };
  } finally {
    clearTimeout(timer);
  }
}
