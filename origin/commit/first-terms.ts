import type { PairTerms } from "../engine/terms.ts";
import { commandIdOf } from "../journal/command-text.ts";
import type { StreamCommand } from "./command-queue.ts";

/**
 * The currencies and pairs of a new venue. The commands of its first journal entry come from here and not from the
 * stream; their ids precede every id of the stream.
 */
export function firstCommands(at: number): readonly StreamCommand[] {
  const currencies = Object.entries(SCALES).map(
    ([currency, scale]) => ({ kind: "setCurrency", currency, scale }) as const,
  );
  const pairs = PAIRS.map((terms) => ({ kind: "setPair", terms }) as const);
  return [...currencies, ...pairs].map((body, index) => {
    const place = { entryId: FIRST_ENTRY, index };
    return { ...place, node: NOBODY, append: 0, command: { ...body, at, id: commandIdOf(place) } };
  });
}

const FIRST_ENTRY = "0-0";
/** The node of commands that need no answer. */
export const NOBODY = "";

const SCALES = { idr: 2, usdt: 8, btc: 8, eth: 8 } as const;

const FEES = { makerFeePpm: 1_000, takerFeePpm: 2_000 } as const;
/** An order may trade up to a fifth away from the last price. */
const OPEN = { state: "trading", opensAt: 0, freezeMs: 0, bandPpm: 200_000 } as const;
const IDR = 100n;
const USDT = 100_000_000n;
const IN_IDR = { quoteCurrency: "idr", tickSteps: 1_000n * IDR, valueStepsMin: 10_000n * IDR } as const;
const IN_USDT = { quoteCurrency: "usdt", tickSteps: USDT / 100n, valueStepsMin: 5n * USDT } as const;
/** 0.00001 BTC and 0.0001 ETH. */
const OF_BTC = { baseCurrency: "btc", lotSteps: 1_000n } as const;
const OF_ETH = { baseCurrency: "eth", lotSteps: 10_000n } as const;

const PAIRS: readonly PairTerms[] = [
  { pair: "btcidr", ...OF_BTC, ...IN_IDR, ...FEES, ...OPEN },
  { pair: "ethidr", ...OF_ETH, ...IN_IDR, ...FEES, ...OPEN },
  { pair: "btcusdt", ...OF_BTC, ...IN_USDT, ...FEES, ...OPEN },
  { pair: "ethusdt", ...OF_ETH, ...IN_USDT, ...FEES, ...OPEN },
];
