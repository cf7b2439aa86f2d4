import { unreachable } from "../../shared/assert.ts";
import type { Place, RoomState } from "./room-state.ts";
import { fillPlaceholders } from "./template-text.ts";
import type { LiveTexts, Said } from "./texts/room-texts.ts";
import { fill, type Words } from "./words.ts";

/**
 * What a page says in one state: texts alone, no markup. The edge writes it into the first page, the script into that page
 * after each poll, so that both can never tell a visitor different things.
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
  /** Whether there is a place to give up. */
  readonly canLeave: boolean;
};

export type ViewContext = {
  readonly texts: LiveTexts;
  /** Only the edge begins with it. */
  readonly checking?: Said;
  readonly words: Words;
  readonly queueName: string;
  /** The operator's own title and intro for those who wait. */
  readonly own: { readonly title?: string | undefined; readonly intro?: string | undefined };
  readonly nowMs: number;
};

export function roomView(state: RoomState, context: ViewContext): RoomView {
  const { texts } = context;
  switch (state.name) {
    case "waiting":
      return placeView(state.place, context);
    case "paused": {
      const { estimate: _notNow, ...view } = placeView(state.place, context);
      return { ...view, ...texts.paused };
    }
    case "checking":
      return plainView(context.checking ?? texts.yourTurn, context);
    case "prequeue":
      return prequeueView(state, context);
    case "yourTurn":
      return { ...plainView(texts.yourTurn, context), action: texts.goOn };
    case "ended":
      return { ...plainView(texts.ended[state.reason], context), action: state.reason === "closed" ? texts.tryNow : texts.again };
    case "rateLimited":
      return { ...plainView(state.by === "address" ? texts.addressLimit : texts.rateLimited, context), action: texts.tryNow };
    case "full":
    case "maintenance":
    case "storeDown":
      return { ...plainView(texts[state.name], context), action: texts.tryNow };
    default:
      return unreachable(state);
  }
}

function plainView(said: Said, { queueName }: ViewContext): RoomView {
  return { ...said, title: `${said.heading} · ${queueName}`, canLeave: false };
}

/** Somebody who has just come sees that there is a bar. */
const PROGRESS_MIN = 0.03;

function placeView({ position, total, first, estimate }: Place, context: ViewContext): RoomView {
  const { texts, words, queueName, own } = context;
  const value = words.number(position);
  const wait = words.estimate(estimate, texts);
  const values = { queueName, position: value, total: words.number(total), wait };
  return {
    title: `${value} · ${queueName}`,
    heading: own.title === undefined ? texts.waiting.heading : fillPlaceholders(own.title, values),
    lead: own.intro === undefined ? texts.waiting.lead : fillPlaceholders(own.intro, values),
    figure: { label: texts.placeLabel, value, note: position === 1 ? texts.next : words.people(texts.ahead, position - 1) },
    progress: Math.max(PROGRESS_MIN, (first - position) / first),
    estimate: wait,
    crowd: words.people(texts.crowd, Math.max(total, position)),
    canLeave: true,
  };
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

/** A visitor who came too early has no place yet; a visitor with a place has one in order of arrival, or a share in the draw. */
function prequeueWords({ placesOpenAtMs, isDrawn }: Pick<Prequeue, "placesOpenAtMs" | "isDrawn">, { texts, words }: ViewContext): Said {
  if (placesOpenAtMs === undefined) return isDrawn ? texts.prequeueLot : texts.prequeue;
  const { heading, lead } = texts.early;
  return { heading, lead: fill(isDrawn ? texts.earlyLot : lead, { time: words.moment(placesOpenAtMs) }) };
}
