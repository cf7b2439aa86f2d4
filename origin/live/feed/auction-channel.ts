import { assert } from "../../../shared/assert.ts";
import { auctionSnapshot } from "../../state/book/auction-snapshot.ts";
import type { LiveMemory } from "./live-memory.ts";
import type { PublicChannel } from "./public-channel.ts";
import { createStateChannel } from "./state-channel.ts";

/** `auction:<pair>`: the auction as `GET /market/{pair}/auction` shows it, while it collects up to ten times a second. */
export function createAuctionChannel(pair: string, memory: LiveMemory): PublicChannel {
  function row() {
    const known = memory.pairs.get(pair);
    assert(known !== undefined, "the pair of an auction's channel is known");
    return known;
  }

  return createStateChannel({
    ...{ name: `auction:${pair}`, pace: "slow" },
    version() {
      const { version, auction } = row();
      const book = auction.phase === "collecting" ? memory.books.version(pair) : 0;
      return `${version} ${auction.number} ${auction.phase} ${auction.orders} ${book}`;
    },
    data() {
      const { grid, auction } = row();
      const shown =
        auction.number === 0 ? NO_AUCTION : auctionSnapshot(row(), memory.books, memory.grids.of(pair, grid));
      return JSON.stringify({ pair, ...shown, at: memory.at });
    },
  });
}

const NO_AUCTION = {
  ...{ state: "none", number: 0, opensAt: null, freezesAt: null, referencePrice: null, indicative: null, result: null },
};
