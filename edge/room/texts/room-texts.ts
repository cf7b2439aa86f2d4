import type { InviteFault } from "../invite-fault.ts";

/**
 * Every text of the visitor's pages. One file per language holds all of them, so that one that is missing does not
 * compile. What stands in single braces is filled in; numbers and durations come from Intl.
 */
export type RoomTexts = Required<Omit<LiveTexts, "ended">> &
  Omit<FirstTexts, FirstEnding> & { readonly ended: Readonly<Record<EndedReason, Said>>; readonly page: PageTexts };

/** How a visit may have ended before a page begins, and never while a script watches the line. */
type FirstEnding = "closed" | "revoked";

/** Of states that a page begins with and no script leads to, so that scripts do without them. */
export type FirstTexts = EarlyTexts &
  Readonly<Record<FirstEnding, Said>> & {
    /** The browser does the work that keeps robots out. */
    readonly checking: Said;
    /** At an address of the gate that does not exist. */
    readonly notFound: Said;
    readonly full: Said;
    readonly storeDown: Said;
    readonly rateLimited: Said;
    readonly addressLimit: Said;
    /** Gave up a session, not a place in line. */
    readonly leftInside: Said;
    /** A form of another site came without the visitor's cookies, so that it was not carried out. */
    readonly otherSite: Said;
    /** To a visitor whose visit was ended by the organiser; `{time}` is a duration. */
    readonly banned: string;
    /** The link to the site's front page. */
    readonly home: string;
  };

/** Before places can be taken. `{time}`, a date and a time of day, is when they can. */
export type EarlyTexts = {
  readonly early: Said;
  /** Replaces the lead of `early` where places are drawn. */
  readonly earlyLot: string;
};

/** What depends on how the visitor stands, so that the script needs it as well. */
export type LiveTexts = {
  readonly waiting: Said;
  readonly yourTurn: Said;
  /** Has a place; the line has not started to move. Only where an event is planned. */
  readonly prequeue?: Said | undefined;
  /** Replaces `prequeue` where places are drawn at the start. */
  readonly prequeueLot?: Said | undefined;
  readonly paused: Said;
  readonly maintenance: Said;
  readonly ended: Readonly<Record<Exclude<EndedReason, FirstEnding>, Said>>;
  readonly placeLabel: string;
  readonly startLabel: string;
  /** `{time}` is a date and a time of day. */
  readonly startsAt: string;
  /** Nobody is ahead. */
  readonly next: string;
  readonly ahead: Plurals;
  readonly crowd: Plurals;
  readonly waitLabel: string;
  /** `{time}` is a duration or a range of them. */
  readonly about: string;
  readonly underAMinute: string;
  readonly overADay: string;
  /** All slots are taken and no session is ending, so that no wait can be estimated. */
  readonly stalled: string;
  /** `{time}` is when the slot for this visitor's place is free at the latest. */
  readonly stalledUntil: string;
  /** `{time}` is a time of day. */
  readonly updated: string;
  readonly notify: string;
  readonly notifyOn: string;
  readonly offline: string;
  readonly reconnecting: string;
  readonly goOn: string;
  readonly again: string;
  readonly tryNow: string;
};

/** What is the same in every state. */
export type PageTexts = {
  readonly updatedNow: string;
  readonly crowdLabel: string;
  readonly messageLabel: string;
  readonly progressLabel: string;
  /** After a form was sent to a page with a line before it. */
  readonly notSent: string;
  /** To who comes without JavaScript where work is asked for. */
  readonly needsScript: string;
  /** Why an invitation did not help, and that there is a place all the same. */
  readonly invites: Readonly<Record<InviteFault, string>>;
  readonly leave: string;
  readonly leaveAsk: string;
  readonly leaveYes: string;
  readonly reference: string;
  readonly how: string;
  readonly whyQuestion: string;
  /** `{name}` is the queue's. */
  readonly why: string;
  readonly fairQuestion: string;
  readonly fair: Readonly<Record<"fifo" | "random" | "lottery", string>>;
  /** By which a visitor checks a lottery afterwards. */
  readonly drawNumber: string;
  readonly closeQuestion: string;
  /** `{time}` is a duration. */
  readonly close: string;
};

export type Said = { readonly heading: string; readonly lead: string };

/** `lost`: the browser no longer shows a ticket. `closed`: the line takes nobody new. */
export type EndedReason = "expired" | "completed" | "revoked" | "left" | "closed" | "lost";

/** One form for each kind of number that the language tells apart, with `{n}` where the number goes. */
export type Plurals = { readonly other: string } & {
  readonly [Rule in Exclude<Intl.LDMLPluralRule, "other">]?: string;
};
