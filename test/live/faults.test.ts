import { afterAll, expect, it } from "vitest";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { LIFE_KEY } from "../../origin/journal/keys.ts";
import { createLiveBook } from "../../shared/live/live-book.ts";
import { startRedisServer } from "../../stack/servers/redis-server.ts";
import { engineIs, openCore, until } from "../core/core.ts";
import { makeOrders } from "../core/make-orders.ts";
import { createBookAuditor } from "./book-auditor.ts";
import { connectLive, startLive } from "./live-stack.ts";

const folder = await temporaryFolder();
let server = await startRedisServer({ folder, fsync: "always" });
const core = await openCore(server);
await engineIs(core, "leader");
const live = await startLive({ url: server.url });
afterAll(async () => {
  await live.stop();
  await server.stop();
});

it("continues without a gap when Redis was killed, and begins again in another life of the journal", async () => {
  const book = createLiveBook();
  const types: string[] = [];
  const client = connectLive({ port: () => live.port, random: () => 0.5 });
  client.subscribe("book:btcidr", {
    onMessage(message) {
      expect(book.apply(message)).toBe(true);
      types.push(message.type);
    },
  });
  const orders = makeOrders(core, 41);
  await orders.untilMore(100);
  await until(() => types.length > 2);
  process.kill(server.child.pid, "SIGKILL");
  await server.child.exited;
  server = await startRedisServer({ folder, fsync: "always", port: server.port });
  await orders.untilMore(200);
  await orders.stop();
  const upToDate = async () =>
    (book.position()?.seq ?? 0) >= Number(await core.redis.hget("v1:{t0}:offset", "sequence")) - 5;
  await until(upToDate);
  await createBookAuditor(core.redis, "btcidr").compare(book);
  // The socket stayed open, and nothing had to be sent again.
  expect(types.filter((type) => type !== "update")).toEqual(["snapshot"]);

  // As a restore does, with the same entries.
  await core.redis.set(LIFE_KEY, "otherlife");
  await until(() => book.position()?.epoch === "otherlife");
  expect(types.filter((type) => type !== "update")).toEqual(["snapshot", "reset"]);
  client.stop();
}, 60_000);
