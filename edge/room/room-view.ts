import { assert, unreachable } from "../../shared/assert.ts";
import { fillPlaceholders } from "../line/page/template-text.ts";
import type { Marking, OwnTexts } from "./own-texts.ts";
import type { Place, RoomState } from "./room-state.ts";
import type { EarlyTexts, EndedReason, FirstTexts, LiveTexts, Said } from "./texts/room-texts.ts";
import { fill, type Words } from "./words.ts";

/**
 * The texts of a page in one state, without markup. The edge writes them into the first page and the script into that
 * page after each poll, so that both always say the same.
 */
export type RoomView = Said & {
  /** Of the tab. */
  readonly title: string;
  readonly figure?: { readonly label: string; readonly value: string; readonly note: string };
  /** 0 to 1. */
  readonly progress?: number;
  readonly estimate?: string;
  readonly crowd?: string;
  /** A link to the page that was asked for. */
  readonly action?: string;
  /** A button that takes a new place: after a revocation a visitor does not join automatically. */
  readonly rejoin?: string;
  /** Whether there is a place to give up. */
  readonly canLeave: boolean;
  /** Of a heading or lead that is the operator's own, in another language than the page. */
  readonly marked?: { readonly heading?: Marking | undefined; readonly lead?: Marking | undefined };
};

export type ViewContext = {
  readonly texts: LiveTexts;
  /** All of them at the edge; of a script's own page at most those of a visitor who came too early. */
  readonly first?: FirstTexts | EarlyTexts | undefined;
  readonly words: Words;
  readonly queueName: string;
  readonly own: OwnTexts;
  readonly nowMs: number;
};

export function roomView(state: RoomState, context: ViewContext): RoomView {
  const { texts } = context;
  switch (state.name) {
    case "waiting":
      return placeView(state.place, context);
    case "paused": {
      const { estimate: _notNow, marked: _notShown, ...view } = placeView(state.place, context);
      return { ...view, ...texts.paused };
    }
    case "prequeue":
      return prequeueView(state, context);
    case "yourTurn":
      return { ...plainView(texts.yourTurn, context), action: texts.goOn };
    case "maintenance":
      return { ...plainView(texts.maintenance, context), action: texts.tryNow };
    case "ended":
      return endedView(state, context);
    case "otherSite":
      return { ...plainView(firstTexts(context).otherSite, context), action: texts.goOn };
    case "checking":
      return plainView(firstTexts(context).checking, context);
    case "notFound":
      return { ...plainView(firstTexts(context).notFound, context), action: firstTexts(context).home };
    case "rateLimited":
      return {
        ...plainView(firstTexts(context)[state.by === "address" ? "addressLimit" : "rateLimited"], context),
        action: texts.tryNow,
      };
    case "full":
    case "storeDown":
      return { ...plainView(firstTexts(context)[state.name], context), action: texts.tryNow };
    default:
      return unreachable(state);
  }
}

function firstTexts({ first }: ViewContext): FirstTexts {
  assert(first !== undefined && "checking" in first, "no script leads to this state");
  return first;
}

function plainView(said: Said, { queueName }: ViewContext): RoomView {
  return { ...said, title: `${said.heading} · ${queueName}`, canLeave: false };
}

function endedTexts(reason: EndedReason, context: ViewContext): Said {
  return reason === "closed" || reason === "revoked" ? firstTexts(context)[reason] : context.texts.ended[reason];
}

function endedView(
  { reason, wasInside, banLeftMs }: Extract<RoomState, { name: "ended" }>,
  context: ViewContext,
): RoomView {
  const { texts, words } = context;
  const view = plainView(wasInside ? firstTexts(context).leftInside : endedTexts(reason, context), context);
  if (banLeftMs !== undefined) {
    return { ...view, lead: fill(firstTexts(context).banned, { time: words.duration(Math.ceil(banLeftMs / 1000)) }) };
  }
  if (reason === "revoked") return { ...view, rejoin: texts.again };
  return { ...view, action: reason === "closed" ? texts.tryNow : texts.again };
}

/** A new visitor should see that there is a bar. */
const PROGRESS_MIN = 0.03;

function placeView({ position, total, first, estimate, stall }: Place, context: ViewContext): RoomView {
  const { texts, words, queueName, own } = context;
  const value = words.number(position);
  const wait = stall === undefined ? words.estimate(estimate, texts) : stallText(stall, context);
  const values = { queueName, position: value, total: words.number(total), wait };
  return {
    title: `${value} · ${queueName}`,
    heading: own.title === undefined ? texts.waiting.heading : fillPlaceholders(own.title.text, values),
    lead: own.intro === undefined ? texts.waiting.lead : fillPlaceholders(own.intro.text, values),
    marked: { heading: own.title?.marked, lead: own.intro?.marked },
    figure: {
      label: texts.placeLabel,
      value,
      note: position === 1 ? texts.next : words.people(texts.ahead, position - 1),
    },
    progress: Math.max(PROGRESS_MIN, (first - position) / first),
    estimate: wait,
    crowd: words.people(texts.crowd, Math.max(total, position)),
    canLeave: true,
  };
}

function stallText({ latestAtMs }: NonNullable<Place["stall"]>, { texts, words }: ViewContext): string {
  if (latestAtMs === null) return texts.stalled;
  return `${texts.stalled} ${fill(texts.stalledUntil, { time: words.moment(latestAtMs) })}`;
}

type Prequeue = Extract<RoomState, { name: "prequeue" }>;

function prequeueView({ opensAtMs, placesOpenAtMs, total, isDrawn }: Prequeue, context: ViewContext): RoomView {
  const { texts, words, queueName, nowMs } = context;
  const value = words.countdown(opensAtMs - nowMs);
  return {
    title: `${value} · ${queueName}`,
    ...prequeueWords({ placesOpenAtMs, isDrawn }, context),
    figure: { label: texts.startLabel, value, note: fill(texts.startsAt, { time: words.moment(opensAtMs) }) },
    ...(total !== undefined && { crowd: words.people(texts.crowd, Math.max(1, total)) }),
    canLeave: total !== undefined,
  };
}

/**
 * A visitor who came too early has no place yet; a visitor with a place has one in order of arrival, or a share in the
 * draw.
 */
function prequeueWords(
  { placesOpenAtMs, isDrawn }: Pick<Prequeue, "placesOpenAtMs" | "isDrawn">,
  { texts, first, words }: ViewContext,
): Said {
  if (placesOpenAtMs === undefined) {
    const said = isDrawn ? texts.prequeueLot : texts.prequeue;
    // A script without these texts requests the page from the edge again.
    assert(said !== undefined, "an event was planned after this page was written");
    return said;
  }
  assert(first !== undefined, "a page for a visitor who came too early brings the words for it");
  const { heading, lead } = first.early;
  return { heading, lead: fill(isDrawn ? first.earlyLot : lead, { time: words.moment(placesOpenAtMs) }) };
}
