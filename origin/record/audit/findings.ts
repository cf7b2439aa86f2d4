import { ledgerText } from "../../instruments/amounts.ts";

/** The checks of an audit, in the order of the report. */
export const CHECKS = [
  "conservation",
  "balances",
  "trades",
  "chain",
  "double entry",
  "open orders",
  "parked entries",
  "candles",
  "summaries",
  "positions",
  "restore",
] as const;
export type Check = (typeof CHECKS)[number];

/** All faults by check. A damaged ledger can have a million faults: the first ones are enough. */
export type Findings = {
  readonly add: (check: Check, sentence: string) => void;
  readonly of: (check: Check) => readonly string[];
  readonly count: (check: Check) => number;
};

const SENTENCES_MAX = 20;

export function createFindings(): Findings {
  const sentences = new Map<Check, string[]>();
  const counts = new Map<Check, number>();
  return {
    add: (check, sentence) => {
      counts.set(check, (counts.get(check) ?? 0) + 1);
      const list = sentences.get(check) ?? [];
      if (list.length < SENTENCES_MAX) list.push(sentence);
      sentences.set(check, list);
    },
    of: (check) => sentences.get(check) ?? [],
    count: (check) => counts.get(check) ?? 0,
  };
}

export function moneyText(steps: bigint, currency: string, scales: ReadonlyMap<string, number>): string {
  return `${ledgerText(steps, scales.get(currency) ?? 0)} ${currency}`;
}
