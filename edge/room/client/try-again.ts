import type { PageFacts } from "../page-facts.ts";
import type { Alarm } from "./alarm.ts";
import { backOff, type Machine } from "./machine.ts";
import type { Screen } from "./screen.ts";

type Attempt = {
  readonly facts: PageFacts;
  readonly screen: Screen;
  readonly alarm: Alarm;
  readonly machine: Machine;
  readonly goOn: () => void;
};

/** Needs no store: it only shows whether the edge can be reached. */
const REACHABLE = "/_sluice/jwks.json";
const JITTER = 0.3;
const HIDDEN_FACTOR = 3;

/**
 * Loads the page again after a while. Not while there is no connection: then it would be replaced by the browser's own
 * error.
 */
export function tryAgain({ facts, screen, alarm, machine, goOn }: Attempt, afterMs: number): void {
  let failures = 0;
  // Visitors who wait for the opening want to be there in time, page visible or not; the edge has spread them out
  // already.
  const isAwaited = facts.state.name === "prequeue";
  const pace = () => (isAwaited ? 1 : (document.hidden ? HIDDEN_FACTOR : 1) * (1 + JITTER * machine.random()));
  const plan = (inMs: number) => alarm.set(inMs * pace(), () => void look());

  async function look(): Promise<void> {
    const isReachable = await fetch(REACHABLE, { cache: "no-store" }).then(
      () => true,
      () => false,
    );
    if (isReachable) {
      goOn();
      return;
    }
    failures += 1;
    screen.notice(navigator.onLine ? facts.texts.reconnecting : facts.texts.offline);
    plan(backOff(failures, machine));
  }

  window.addEventListener("online", () => failures > 0 && alarm.set(0, () => void look()));
  plan(afterMs);
}
