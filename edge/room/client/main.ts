import type { PageFacts } from "../page-facts.ts";
import { createAlarm } from "./alarm.ts";
import { askBeforeLeaving } from "./ask-before-leaving.ts";
import { createBell } from "./bell.ts";
import { tryAgain } from "./try-again.ts";
import { watchLine } from "./watch-line.ts";
import "../../../shared/look/base.css";
import "./room.css";
import { byId, createScreen } from "./screen.ts";

/** The script of the visitor's page. What it does is a convenience: the page before it already says everything. */
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

/** The page that was asked for. What answered a form is never loaded again, because that would send the form again. */
function goOn(): void {
  if (facts.returnTo === null) location.reload();
  else location.replace(facts.returnTo);
}
