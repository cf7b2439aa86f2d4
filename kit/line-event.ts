import { createHash } from "node:crypto";
import type { LineSettings } from "./line-settings.ts";

/** A queue's schedule and draw, and the auditor's own model of them, independent of the scripts. */
export type LineEvent = {
  readonly prequeueOpensAtMs: number | null;
  readonly opensAtMs: number;
  readonly closesAtMs: number | null;
  readonly order: "fifo" | "lottery";
  /** Of the numbers that are drawn; another one for each draw. */
  readonly drawSpan: number;
  readonly overrides: Partial<Pick<LineSettings, "maxActive" | "rate" | "burst" | "sessionTtlSeconds">>;
};

export type Phase = "scheduled" | "prequeue" | "open" | "over";

export function phaseAt({ event }: LineSettings, nowMs: number): Phase {
  if (event === null) return "open";
  if (nowMs < (event.prequeueOpensAtMs ?? event.opensAtMs)) return "scheduled";
  if (nowMs < event.opensAtMs) return "prequeue";
  return event.closesAtMs !== null && nowMs >= event.closesAtMs ? "over" : "open";
}

/** The settings in force, with a pause while entry is closed. */
export function settingsAt(settings: LineSettings, nowMs: number): LineSettings {
  const phase = phaseAt(settings, nowMs);
  if (phase === "scheduled" || phase === "prequeue")
    return { ...settings, mode: settings.mode === "drain" ? "closing" : "paused" };
  return phase === "open" ? { ...settings, ...settings.event?.overrides } : settings;
}

const SPAN = 2 ** 40;
const NUMBERS = 2 ** 39;

/** The number that a ticket draws. Any function of its id works; this one gives many equal numbers, where bugs hide. */
export function drawnNumber(ticketId: string): number {
  const hash = createHash("sha256").update(ticketId).digest().readUInt32BE(0);
  return Math.floor(((hash % 40) * NUMBERS) / 40);
}

/** As edges do: until the opening a drawn ticket carries the first number of its draw; its id gives the rest. */
export function revealedOrder(ticketId: string, order: number): number {
  return order % 2 === 1 && order % SPAN === 1 ? order + 2 * drawnNumber(ticketId) : order;
}

export function firstOfDraw(order: number): number {
  return order - (order % SPAN) + 1;
}
