import { z } from "zod";
import type { Option } from "../options/option-table.ts";

/**
 * Weights of the actions: `place` is a limit order, `market` a market order, `stop` a limit order that waits for a trigger
 * price, `cancel` cancels an open order.
 */
export type Mix = Readonly<Record<TradeAction, number>>;

export const TRADE_ACTIONS = ["place", "cancel", "market", "stop"] as const;
export type TradeAction = (typeof TRADE_ACTIONS)[number];

const FALLBACK = "place:65,cancel:20,market:10,stop:5";
const SENTENCE = `must be weights such as ${FALLBACK} for ${TRADE_ACTIONS.join(", ")}; place needs a weight`;

export const mixOption: Option<Mix> = {
  value: "MIX",
  help: `weights of the actions (${FALLBACK})`,
  schema: z
    .string()
    .default(FALLBACK)
    .transform(readMix)
    .refine((mix) => mix !== undefined, SENTENCE)
    .transform((mix) => mix ?? { place: 1, cancel: 0, market: 0, stop: 0 }),
};

function readMix(written: string): Mix | undefined {
  const mix: Record<TradeAction, number> = { place: 0, cancel: 0, market: 0, stop: 0 };
  for (const part of written.split(",")) {
    const [, action = "", weight = ""] = /^([a-z]+):(\d{1,6})$/.exec(part) ?? [];
    const known = TRADE_ACTIONS.find((each) => each === action);
    if (known === undefined) return undefined;
    mix[known] = Number(weight);
  }
  return mix.place > 0 ? mix : undefined;
}

export const mixText = (mix: Mix) => TRADE_ACTIONS.map((action) => `${action}:${mix[action]}`).join(",");

/** `draw` is at least 0 and below 1. */
export function drawAction(mix: Mix, draw: number): TradeAction {
  let left = draw * TRADE_ACTIONS.reduce((sum, action) => sum + mix[action], 0);
  for (const action of TRADE_ACTIONS) {
    left -= mix[action];
    if (left < 0) return action;
  }
  return "place";
}
