import { createBookChannel } from "./book-channel.ts";
import type { LiveMemory } from "./live-memory.ts";
import type { PublicChannel } from "./public-channel.ts";
import { createTradesChannel } from "./trades-channel.ts";

/** The public channel of a name; undefined for a name or a pair that does not exist. */
export function createPublicChannel(name: string, memory: LiveMemory): PublicChannel | undefined {
  const [kind, pair = "", ...rest] = name.split(":");
  if (!memory.pairs.has(pair) || rest.length > 0) return undefined;
  if (kind === "book") return createBookChannel(pair, memory);
  return kind === "trades" ? createTradesChannel(pair, memory) : undefined;
}
