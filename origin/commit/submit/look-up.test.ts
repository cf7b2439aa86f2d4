import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { borrowRedis, type TestServer } from "../../../kit/borrowed-servers.ts";
import { JOURNAL_KEY, OFFSET_KEY } from "../../journal/keys.ts";
import { createLookUp } from "./look-up.ts";

let server: TestServer;
let redis: Redis;
beforeAll(async () => {
  server = await borrowRedis({ fsync: "no" });
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
});

const NO_ROWS = "1750000000000,1,1,[],[],[],[],[],[],[],[]";

it.each([1, 2 ** 30, 2 ** 31, 2 ** 52])(
  "finds every command's entry in a journal that begins at entry %d",
  async (first) => {
    await redis.flushall();
    const count = 9;
    for (let place = 0; place < count; place++) {
      const entryId = `${1_000 + place}-0`;
      const body = `[${NO_ROWS},[["${entryId}",0,[["d","user${place}"]]]]]`;
      await redis.xadd(JOURNAL_KEY, `${first + place}-0`, "p", "", "h", "", "c", `${entryId}-0`, "b", body);
    }
    await redis.hset(OFFSET_KEY, "sequence", first + count - 1, "command", `${1_000 + count - 1}-0-0`);
    const lookUp = createLookUp(redis);
    for (let place = 0; place < count; place++) {
      const known = { kind: "committed", sequence: first + place, user: `user${place}`, outcome: { kind: "done" } };
      expect(await lookUp(`${1_000 + place}-0-0`)).toEqual(known);
    }
  },
);
