import { z } from "zod";
import { type FillRandom, newId } from "../../../shared/ids.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import { type Database, UniqueViolation } from "../../db/database.ts";
import { defineQuery } from "../../db/define-query.ts";
import deleteSource from "./delete-venue-key.sql";
import insertSource from "./insert-venue-key.sql";
import listOutdatedSource from "./list-outdated-venue-keys.sql";
import listSource from "./list-venue-keys.sql";
import resealSource from "./reseal-venue-key.sql";
import type { Seal } from "./seal.ts";

/** Users' own keys at other venues: stored sealed, and never shown again. One for each venue. */
export type VenueKeys = {
  readonly add: (userId: string, key: NewVenueKey) => Promise<Result<VenueKey, "venue_key_exists">>;
  readonly list: (userId: string) => Promise<readonly VenueKey[]>;
  readonly remove: (userId: string, keyId: string) => Promise<boolean>;
  /** Reseals everything that is not sealed with the active key. */
  readonly reseal: () => Promise<void>;
};

export const VENUES = ["indodax"] as const;

export type NewVenueKey = {
  readonly venue: (typeof VENUES)[number];
  readonly label: string;
  readonly key: string;
  readonly secret: string;
};
export type VenueKey = z.output<typeof row>;

const PAGE = 500;

const row = z.object({
  id: z.string(),
  userId: z.string(),
  venue: z.enum(VENUES),
  label: z.string(),
  sealedPair: z.string(),
  createdAt: z.number(),
});

const insert = defineQuery({
  name: "insert-venue-key",
  source: insertSource,
  params: ["id", "userId", "venue", "label", "sealedPair"],
  row,
});
const list = defineQuery({ name: "list-venue-keys", source: listSource, params: ["userId"], row });
const listOutdated = defineQuery({
  name: "list-outdated-venue-keys",
  source: listOutdatedSource,
  params: ["activePattern", "limit"],
  row,
});
const reseal = defineQuery({
  name: "reseal-venue-key",
  source: resealSource,
  params: ["id", "sealedBefore", "sealedAfter"],
  row: z.unknown(),
});
const remove = defineQuery({
  name: "delete-venue-key",
  source: deleteSource,
  params: ["id", "userId"],
  row: z.object({ id: z.string() }),
});

type VenueKeyParts = { readonly database: Database; readonly seal: Seal; readonly random: FillRandom };

export function createVenueKeys({ database, seal, random }: VenueKeyParts): VenueKeys {
  return {
    async add(userId, { venue, label, key, secret }) {
      const id = newId(random);
      const sealedPair = seal.seal(JSON.stringify({ key, secret }), { kind: "venue-key", userId, id });
      try {
        const added = await database.transaction((tx) => insert.first(tx, { id, userId, venue, label, sealedPair }));
        if (added === undefined) throw new Error("an insert gives its row");
        return ok(added);
      } catch (error) {
        if (error instanceof UniqueViolation) return fail("venue_key_exists");
        throw error;
      }
    },
    list: (userId) => list.all(database, { userId }),
    remove: async (userId, keyId) =>
      (await database.transaction((tx) => remove.first(tx, { id: keyId, userId }))) !== undefined,
    async reseal() {
      for (;;) {
        const keys = await listOutdated.all(database, { activePattern: seal.activePattern, limit: PAGE });
        for (const { id, userId, sealedPair } of keys) {
          const owner = { kind: "venue-key", userId, id } as const;
          await reseal.all(database, {
            id,
            sealedBefore: sealedPair,
            sealedAfter: seal.seal(seal.open(sealedPair, owner), owner),
          });
        }
        if (keys.length < PAGE) return;
      }
    },
  };
}
