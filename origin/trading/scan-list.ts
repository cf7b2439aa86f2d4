import type { Redis } from "ioredis";

/** More than a user's whole list, so that it takes one round trip. */
const CHUNK = 250;

/**
 * Reads a list that grows at its head and is cut at its end, in chunks from the head. New entries move the rest down,
 * so that some entries are read again at the beginning of the next chunk; each is yielded once, because ids only
 * decrease.
 */
export async function* scanNewestFirst<Item extends { readonly id: number }>(
  redis: Redis,
  key: string,
  parse: (text: string) => Item,
): AsyncGenerator<Item> {
  let lastId = Number.POSITIVE_INFINITY;
  for (let from = 0; ; from += CHUNK) {
    const texts = await redis.lrange(key, from, from + CHUNK - 1);
    for (const text of texts) {
      const item = parse(text);
      if (item.id >= lastId) continue;
      lastId = item.id;
      yield item;
    }
    if (texts.length < CHUNK) return;
  }
}
