import { FRAMES, type Frame } from "../../market/candles/frames.ts";
import { createAuctionChannel } from "./auction-channel.ts";
import { createBookChannel } from "./book-channel.ts";
import { createCandlesChannel } from "./candles-channel.ts";
import type { LiveMemory } from "./live-memory.ts";
import type { PublicChannel } from "./public-channel.ts";
import { createPricesChannel, createSystemChannel, type LiveSources } from "./state-channel.ts";
import { createSummariesChannel, createSummaryChannel } from "./summary-channel.ts";
import { createTradesChannel } from "./trades-channel.ts";

/** The public channel of a name; undefined for a name, a pair or a frame that does not exist. */
export function createPublicChannel(name: string, memory: LiveMemory, sources: LiveSources): PublicChannel | undefined {
  const [kind, pair = "", frame, ...rest] = name.split(":");
  if (name === "summary") return createSummariesChannel(memory);
  if (name === "system") return createSystemChannel(sources, memory);
  if (name === "prices") return sources.board && createPricesChannel(sources.board);
  if (!memory.pairs.has(pair) || rest.length > 0) return undefined;
  if (kind === "candles") return candlesOf(pair, frame, memory);
  if (frame !== undefined) return undefined;
  if (kind === "book") return createBookChannel(pair, memory);
  if (kind === "auction") return createAuctionChannel(pair, memory);
  if (kind === "summary") return createSummaryChannel(pair, memory);
  return kind === "trades" ? createTradesChannel(pair, memory) : undefined;
}

function candlesOf(pair: string, name: string | undefined, memory: LiveMemory): PublicChannel | undefined {
  const frame = FRAMES.find((known: Frame) => known === name);
  const market = memory.market(pair);
  return frame === undefined || market === undefined
    ? undefined
    : createCandlesChannel({ pair, frame, market }, memory);
}
