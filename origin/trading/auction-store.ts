import type { Redis } from "ioredis";
import type { AuctionSnapshot } from "../state/book/auction-snapshot.ts";
import { auctionKey } from "../state/keys.ts";

/** The auction of a pair as the projecting worker last wrote it. */
export type AuctionStore = { readonly read: (pair: string) => Promise<LiveAuction> };

type LiveAuction = Omit<AuctionSnapshot, "state"> & {
  readonly pair: string;
  readonly state: AuctionSnapshot["state"] | "none";
  readonly sequence: number;
  readonly at: number;
};

export function openAuctionStore(redis: Redis): AuctionStore {
  return {
    async read(pair) {
      const text = await redis.get(auctionKey(pair));
      return { pair, ...(text === null ? NO_AUCTION : (JSON.parse(text) as Omit<LiveAuction, "pair">)) };
    },
  };
}

const NO_AUCTION: Omit<LiveAuction, "pair"> = {
  ...{ state: "none", number: 0, opensAt: null, freezesAt: null, referencePrice: null },
  ...{ indicative: null, result: null, sequence: 0, at: 0 },
};
