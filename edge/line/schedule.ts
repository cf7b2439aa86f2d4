/**
 * A queue's event: when places can be taken, when the line begins to move, and when no new places are given. The
 * scripts decide by the store's own time; this file checks operators' input, and tells an edge what it may answer
 * without asking. The console's page uses it too, so it imports no library.
 */
export type Schedule = {
  readonly prequeueOpensAt: number | null;
  readonly opensAt: number | null;
  readonly closesAt: number | null;
};

/**
 * `scheduled`: places cannot be taken yet. `prequeue`: places are taken, the line does not move. `open`: the line
 * moves. `over`: no new places, visitors who have one still enter.
 */
export type Phase = "scheduled" | "prequeue" | "open" | "over";

/**
 * A ticket lives for a day and the grace period: the first visitor's ticket must still be valid when the line moves.
 */
const PREQUEUE_MS_MAX = 24 * 60 * 60 * 1000;

type Checked = Schedule & { readonly order: "fifo" | "random" | "lottery"; readonly eventOverrides: object | null };

/** The faults between the times, by field. */
export function checkSchedule({
  prequeueOpensAt,
  opensAt,
  closesAt,
  order,
  eventOverrides,
}: Checked): readonly Fault[] {
  const rules: readonly (Fault & { readonly isBroken: boolean })[] = [
    { field: "prequeueOpensAt", message: "needs opensAt", isBroken: prequeueOpensAt !== null && opensAt === null },
    { field: "prequeueOpensAt", message: "must be before opensAt", isBroken: isNotBefore(prequeueOpensAt, opensAt) },
    {
      field: "prequeueOpensAt",
      message: "must be at most 24 hours before opensAt",
      isBroken: prequeueOpensAt !== null && opensAt !== null && opensAt - prequeueOpensAt > PREQUEUE_MS_MAX,
    },
    { field: "closesAt", message: "must be after opensAt", isBroken: isNotBefore(opensAt, closesAt) },
    { field: "eventOverrides", message: "needs opensAt", isBroken: eventOverrides !== null && opensAt === null },
    {
      field: "order",
      message: "needs prequeueOpensAt: only those who come before the opening are drawn",
      isBroken: order !== "fifo" && prequeueOpensAt === null,
    },
  ];
  return rules.filter(({ isBroken }) => isBroken);
}

type Fault = { readonly field: "prequeueOpensAt" | "closesAt" | "eventOverrides" | "order"; readonly message: string };

function isNotBefore(earlier: number | null, later: number | null): boolean {
  return earlier !== null && later !== null && earlier >= later;
}

export function phaseAt(schedule: Schedule, nowMs: number): Phase {
  const { opensAt, closesAt } = schedule;
  if (opensAt !== null && nowMs < opensAt) return nowMs < (placesOpenAt(schedule) ?? 0) ? "scheduled" : "prequeue";
  return closesAt !== null && nowMs >= closesAt ? "over" : "open";
}

/** How far the store's time, as an edge knows it, may be off. */
const CLOCK_DOUBT_MS = 3_000;

/** The phase where it is beyond doubt; near its edges only the store can tell. */
export function surePhaseAt(schedule: Schedule, nowMs: number): Phase | "unsure" {
  const phase = phaseAt(schedule, nowMs - CLOCK_DOUBT_MS);
  return phase === phaseAt(schedule, nowMs + CLOCK_DOUBT_MS) ? phase : "unsure";
}

/** From when on people may take a place, if that is not for ever. */
export function placesOpenAt({ prequeueOpensAt, opensAt }: Schedule): number | null {
  return prequeueOpensAt ?? opensAt;
}

type Overridden = Schedule & { readonly eventOverrides: Readonly<Record<string, unknown>> | null };

/** The settings in force at this moment. */
export function settingsAt<Settings extends Overridden>(settings: Settings, nowMs: number): Settings {
  return settings.eventOverrides !== null && phaseAt(settings, nowMs) === "open" ? settingsInEvent(settings) : settings;
}

export function settingsInEvent<Settings extends Overridden>(settings: Settings): Settings {
  return { ...settings, ...settings.eventOverrides };
}

/** An early visitor asks again within this time. */
const LOOK_AGAIN_MS_MAX = 60_000;
/** Visitors who wait for places to open come spread over this time, not all in the same second. */
const ARRIVAL_MS = 10_000;
const LOOK_AGAIN_MS_MIN = 1_000;

/** `random` is 0 to 1. */
export function pollBeforePlaces({ leftMs, random }: { readonly leftMs: number; readonly random: number }): number {
  const lookAgainMs = LOOK_AGAIN_MS_MAX * (0.5 + random / 2);
  return Math.ceil(Math.max(LOOK_AGAIN_MS_MIN, Math.min(lookAgainMs, leftMs + ARRIVAL_MS * random)));
}
