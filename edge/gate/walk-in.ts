import { newId } from "../../shared/ids.ts";
import { issuePass } from "./issue.ts";
import type { GuardedQueue } from "./open-gate.ts";
import type { Turn } from "./turn.ts";

/** How long a pass of an open queue lives; a client that keeps asking gets another one. */
const OPEN_PASS_MS = 60_000;

/**
 * An open queue has no slots: everybody is forwarded, with or without a pass. Its pass says to a client of the gate's own routes that it is
 * in. It holds no slot and says so: from the moment at which the queue is no longer open it counts as missing, so that the cap
 * holds at once, and its holder joins the line like a newcomer.
 */
export async function walkIn(queue: GuardedQueue): Promise<Turn> {
  const { fillRandom, clock } = queue.gate;
  const pass = await issuePass(queue, { sessionId: newId(fillRandom), slotEndMs: clock.nowMs() + OPEN_PASS_MS, slotless: true });
  return pass === undefined ? { state: "failed" } : { state: "admitted", pass };
}
