import { touch } from "./change-log.ts";
import type { CancelAfter } from "./command.ts";
import { setTimer } from "./conditions/timers.ts";
import { CANCEL_AFTER_MS_MAX, CANCEL_AFTER_MS_MIN } from "./limits.ts";
import { type Outcome, reject } from "./outcome.ts";
import type { EngineState } from "./state.ts";

/** The dead man's switch: set again in time, it never strikes. It counts by the engine's time. */
export function cancelAfter(state: EngineState, { user: name, afterMs }: CancelAfter): Outcome {
  const isOff = afterMs === 0;
  const isSound = Number.isSafeInteger(afterMs) && afterMs >= CANCEL_AFTER_MS_MIN && afterMs <= CANCEL_AFTER_MS_MAX;
  if (!(isOff || isSound)) return reject("cancel_after_invalid");
  const user = state.users.byName.get(name);
  // A user whom the engine does not know has no orders.
  if (user === undefined) return { kind: "cancelAfter", cancelAt: 0 };
  const cancelAt = isOff ? 0 : state.at + afterMs;
  if ((user.cancelTimer?.dueAt ?? 0) === cancelAt) return { kind: "cancelAfter", cancelAt };
  user.cancelTimer ??= { dueAt: 0, place: -1, orderId: 0, user };
  setTimer(state.timers, user.cancelTimer, cancelAt);
  touch(state.log.users, user);
  return { kind: "cancelAfter", cancelAt };
}
