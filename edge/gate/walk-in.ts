import { newId } from "../../shared/ids.ts";
import { issuePass } from "./issue.ts";
import type { GuardedQueue } from "./open-gate.ts";
import type { Turn } from "./turn.ts";

/** As long as an open queue's passes live: when the line closes again, nobody stays in for longer. */
const OPEN_PASS_MS = 60_000;

/** An open queue has no slots; its pass is of a session that the store has never heard of. */
export async function walkIn(queue: GuardedQueue): Promise<Turn> {
  const { fillRandom, clock } = queue.gate;
  const pass = await issuePass(queue, { sessionId: newId(fillRandom), slotEndMs: clock.nowMs() + OPEN_PASS_MS });
  return pass === undefined ? { state: "failed" } : { state: "admitted", pass };
}
