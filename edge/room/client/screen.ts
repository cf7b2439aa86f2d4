import type { Marking } from "../own-texts.ts";
import type { PageFacts } from "../page-facts.ts";
import type { RoomState } from "../room-state.ts";
import { roomView } from "../room-view.ts";
import { createWords, fill } from "../words.ts";

/** The page, as the script changes it: the same elements that the edge has written. */
export type Screen = {
  readonly show: (state: RoomState) => void;
  /** Something that is wrong with the connection; undefined when it is well again. */
  readonly notice: (text: string | undefined) => void;
  readonly message: (text: string) => void;
  readonly updated: () => void;
};

/** A screen reader announces the place when it has halved, or after this time: not at each poll. */
const ANNOUNCE_AFTER_MS = 60_000;

export function createScreen(facts: PageFacts, nowMs: () => number): Screen {
  const { texts, early, queueName, own, state: first } = facts;
  const words = createWords(facts.locale);
  const offMs = facts.nowMs - nowMs();
  const viewOf = (state: RoomState) =>
    roomView(state, { texts, first: early, words, queueName, own, nowMs: nowMs() + offMs });
  let shown = first;
  let announced = { name: first.name, position: positionOf(first), atMs: nowMs() };

  function announce(state: RoomState, text: string): void {
    const position = positionOf(state);
    // Before the start there is no place: what counts down is not told again at each poll.
    const hasMoved = position !== announced.position;
    const isFar = position <= announced.position / 2 || nowMs() - announced.atMs > ANNOUNCE_AFTER_MS;
    if (state.name === announced.name && !(hasMoved && isFar)) return;
    announced = { name: state.name, position, atMs: nowMs() };
    byId("status").textContent = text;
  }

  function show(state: RoomState): void {
    const view = viewOf(state);
    shown = state;
    document.documentElement.dataset["state"] = state.name;
    document.title = view.title;
    write("h1", view.heading, view.marked?.heading);
    write("lead", view.lead, view.marked?.lead);
    write("figure-label", view.figure?.label);
    write("position", view.figure?.value);
    write("figure-note", view.figure?.note);
    write("estimate", view.estimate);
    write("crowd", view.crowd);
    write("action", view.action);
    document.documentElement.style.setProperty("--chars", String(view.figure?.value.length ?? 1));
    showProgress(view.progress);
    byId("figure").hidden = view.figure === undefined;
    byId("updated").hidden = view.figure === undefined;
    byId("action").hidden = view.action === undefined;
    byId("leave").hidden = !view.canLeave;
    for (const id of ["estimate", "crowd"] as const)
      byId(id).parentElement?.toggleAttribute("hidden", view[id] === undefined);
    announce(state, [view.heading, view.figure?.label, view.figure?.value, view.estimate].filter(Boolean).join(". "));
  }

  // A countdown runs between two polls; nothing else on the page does.
  setInterval(() => {
    if (shown.name === "prequeue") write("position", viewOf(shown).figure?.value);
  }, 1_000);
  // The edge does not know the visitor's time zone.
  if (first.name === "prequeue") {
    const { lead, figure } = viewOf(first);
    write("lead", lead);
    write("figure-note", figure?.note);
  }

  return {
    show,
    notice(text) {
      write("notice", text);
      byId("notice").hidden = text === undefined;
    },
    message(text) {
      write("message-text", text);
      byId("message").hidden = text === "";
    },
    updated: () => write("updated", fill(texts.updated, { time: words.timeOfDay(nowMs()) })),
  };
}

function positionOf(state: RoomState): number {
  return "place" in state ? state.place.position : 0;
}

function showProgress(progress: number | undefined): void {
  byId("progress").hidden = progress === undefined;
  if (progress === undefined) return;
  byId("progress").setAttribute("aria-valuenow", String(Math.round(progress * 100)));
  document.documentElement.style.setProperty("--progress", String(progress));
}

/** Only changed texts are written: a screen reader may announce any change, and a selection would be lost. */
function write(id: string, text = "", marked?: Marking): void {
  const element = id === "h1" ? document.getElementsByTagName("h1")[0] : byId(id);
  if (element === undefined || element.textContent === text) return;
  element.textContent = text;
  // The operator's message keeps the marks that the edge has written.
  if (id === "message-text") return;
  for (const name of ["lang", "dir"] as const) {
    if (marked === undefined) element.removeAttribute(name);
    else element.setAttribute(name, marked[name]);
  }
}

export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`there is no ${id} on the page`);
  return element;
}
