import type { PageFacts } from "../page-facts.ts";
import { createAlarm } from "./alarm.ts";
import { createBell } from "./bell.ts";
import { tryAgain } from "./try-again.ts";
import { watchLine } from "./watch-line.ts";

import "../../../shared/look/base.css";
import "./room.css";
import { byId, createScreen } from "./screen.ts";

/** The script of the visitor's page. It is a convenience: the page already says everything without it. */
const facts = JSON.parse(byId("facts").textContent) as PageFacts;
const machine = { nowMs: () => Date.now(), random: () => Math.random() };
const screen = createScreen(facts, machine.nowMs);
const room = { facts, screen, alarm: createAlarm(), machine, goOn };

if (facts.next.kind === "poll") {
  askBeforeLeaving();
  watchLine({ ...room, bell: createBell(facts) }, facts.next.afterMs);
}
if (facts.next.kind === "retry") tryAgain(room, facts.next.afterMs);

/** Tells the fallback in the page that it is not needed. */
Object.assign(window, { sluice: true });

/** The page that the visitor wanted. The answer to a form is never reloaded, because that would send the form again. */
function goOn(): void {
  if (facts.returnTo === null) location.reload();
  else location.replace(facts.returnTo);
}

/** The first press asks, the second one leaves: a place that was given up by a slip of the finger is gone. */
function askBeforeLeaving(): void {
  const [question, button] = [byId("leave-ask"), byId("leave-button")];
  question.hidden = true;
  byId("leave").addEventListener("submit", (event) => {
    if (!question.hidden) return;
    event.preventDefault();
    question.hidden = false;
    button.textContent = button.dataset["sure"] ?? "";
  });
}
