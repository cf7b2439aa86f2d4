import type { PageFacts } from "../page-facts.ts";
import { readMemory, rememberPlace, waitingState, writeMemory } from "../room-state.ts";
import type { Alarm } from "./alarm.ts";
import { askLine, type LineReply } from "./ask-line.ts";
import type { Bell } from "./bell.ts";
import { hiddenPace } from "./hidden-pace.ts";
import { backOff, type Machine } from "./machine.ts";
import type { Screen } from "./screen.ts";

type Watch = {
  readonly facts: PageFacts;
  readonly screen: Screen;
  readonly alarm: Alarm;
  readonly bell: Bell;
  readonly machine: Machine;
  readonly goOn: () => void;
};

/** The server spreads polls out; this keeps them so after a common interruption. */
const JITTER = 0.1;
/** Up to here the server has set the very moment of the turn. */
const EXACT_MS_MAX = 5_000;
/** Long enough to see and hear that it is one's turn. */
const LAST_LOOK_MS = 1_000;
/** A hidden page stays for this long; then it enters automatically, because the slot is reserved and its time runs. */
const HIDDEN_LAST_LOOK_MS = 20_000;
/** After an outage visitors come back spread out. */
const BACK_ONLINE_MS_MAX = 2_000;

/** Asks the line how the visitor stands until it is their turn, at the pace that the line sets. */
export function watchLine({ facts, screen, alarm, bell, machine, goOn }: Watch, firstPollAfterMs: number): void {
  const { texts } = facts;
  let memory = readMemory(cookieValue(facts.memoryCookie));
  let failures = 0;
  let isAsking = false;
  let isOver = false;
  let pollAfterMs = firstPollAfterMs;
  let askedAtMs = machine.nowMs();

  const planIn = (afterMs: number) =>
    alarm.set(afterMs <= EXACT_MS_MAX ? afterMs : afterMs * (1 + JITTER * machine.random()), () => void poll());

  async function poll(): Promise<void> {
    if (isAsking || isOver) return;
    isAsking = true;
    askedAtMs = machine.nowMs();
    const reply = await askLine(facts.queueId);
    isAsking = false;
    if (isOver) return;
    try {
      onReply(reply);
    } catch {
      // A feature that this browser lacks: the edge renders the page again.
      renew();
    }
  }

  function onReply(reply: LineReply): void {
    switch (reply.state) {
      case "waiting":
        stand(reply);
        break;
      case "later":
        later(reply.afterMs);
        break;
      case "admitted":
        walkIn();
        break;
      case "ended":
        finish();
        // Only the edge knows whether and when its visitor may join again.
        if (reply.reason === "revoked") goOn();
        else screen.show({ name: "ended", reason: reply.reason });
        break;
      case "gone":
        renew();
        break;
    }
  }

  function renew(): void {
    alarm.set(backOff(++failures, machine), goOn);
  }

  function stand(reply: Extract<LineReply, { state: "waiting" }>): void {
    failures = 0;
    pollAfterMs = reply.pollAfterMs;
    memory = rememberPlace(memory, reply);
    if (memory !== undefined) {
      const isSecure = location.protocol === "https:" ? ";secure" : "";
      // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store is not in every browser, and not on plain http.
      document.cookie = `${facts.memoryCookie}=${writeMemory(memory)};path=/;max-age=${facts.memorySeconds};samesite=lax${isSecure}`;
    }
    screen.show(waitingState(reply, memory));
    screen.message(reply.message ?? "");
    screen.notice(undefined);
    screen.updated();
    const { low: lowSeconds } = reply.estimatedWaitSeconds;
    planIn(document.hidden ? hiddenPace({ pollAfterMs, lowSeconds, silenceMsMax: facts.silenceMsMax }) : pollAfterMs);
  }

  function later(afterMs: number): void {
    failures += 1;
    screen.notice(navigator.onLine ? texts.reconnecting : texts.offline);
    planIn(Math.max(afterMs, backOff(failures, machine)));
  }

  function walkIn(): void {
    finish();
    // The slot is held for a short time only until its pass is shown, and this page may stay for a while.
    void askLine(facts.queueId);
    screen.show({ name: "yourTurn" });
    bell.ring();
    alarm.set(document.hidden ? HIDDEN_LAST_LOOK_MS : LAST_LOOK_MS, goOn);
    document.addEventListener("visibilitychange", () => alarm.set(LAST_LOOK_MS, goOn));
  }

  function finish(): void {
    isOver = true;
    alarm.stop();
    screen.notice(undefined);
    bell.hide();
  }

  function comeBack(): void {
    if (document.hidden || isOver) return;
    // An answer younger than half an interval would only be repeated.
    const elapsedMs = machine.nowMs() - askedAtMs;
    if (elapsedMs >= pollAfterMs / 2 || failures > 0) void poll();
    else planIn(pollAfterMs - elapsedMs);
  }

  document.addEventListener("visibilitychange", comeBack);
  window.addEventListener("pageshow", ({ persisted }) => persisted && comeBack());
  window.addEventListener("offline", () => !isOver && screen.notice(texts.offline));
  window.addEventListener(
    "online",
    () => !isOver && alarm.set(machine.random() * BACK_ONLINE_MS_MAX, () => void poll()),
  );
  planIn(pollAfterMs);
}

function cookieValue(name: string): string | undefined {
  const pair = document.cookie.split("; ").find((text) => text.startsWith(`${name}=`));
  return pair?.slice(name.length + 1);
}
