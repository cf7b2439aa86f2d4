import { expect, it } from "vitest";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { startRedisServer } from "../../stack/servers/redis-server.ts";
import { auditCore } from "./audit-core.ts";
import { deposit, engineIs, openCore, startCore, type TestCore, until } from "./core.ts";
import { startOrigin } from "./processes.ts";

/** A signed request is executed once, whichever process it comes to and whatever is killed in between. */

const signed = (id: string, amount = 1n) => ({
  ...deposit("ann", "idr", amount),
  nonce: { id, until: Date.now() + 30_000 },
});
const REPLAYED = { kind: "rejected", code: "request_replayed" };
const commits = async ({ trading }: TestCore) =>
  until(async () => (await trading.commands.submit(deposit("bob", "idr", 1n))).kind === "committed");

it("refuses a repetition in the engine's own process, in another one, and at once in both", async () => {
  const core = await startCore();
  await engineIs(core, "leader");
  const api = await core.again({ SLUICE_ROLES: ["api"] });
  await commits(api);
  const [first, second] = [signed("a"), signed("b")];
  expect((await core.commit(first)).outcome).toEqual({ kind: "done" });
  expect((await api.commit(first)).outcome).toEqual(REPLAYED);
  expect((await api.commit(second)).outcome).toEqual({ kind: "done" });
  expect((await core.commit(second)).outcome).toEqual(REPLAYED);
  const both = signed("c");
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? core : api).commit(both)),
  );
  expect(answers.filter(({ outcome }) => outcome.kind === "done")).toHaveLength(1);
  await api.trading.stop();
  await core.trading.stop();
  await auditCore(core.redis, { acknowledged: answers });
});

it("refuses a repetition after the leader was killed, by a standby that has followed it", async () => {
  const api = await startCore({ SLUICE_ROLES: ["api"] });
  const { url } = api.server;
  const leader = startOrigin({ url });
  await commits(api);
  const follower = await api.again({ SLUICE_ROLES: ["engine"] });
  await engineIs(follower, "standby");
  const request = signed("a");
  const { sequence } = await api.commit(request);
  await engineIs(follower, `standby, at journal entry ${sequence}`);
  leader.signal("SIGKILL");
  await leader.child.exited;
  await engineIs(follower, "leader");
  expect((await api.commit(request)).outcome).toEqual(REPLAYED);
});

it("refuses a repetition after everything was killed and started again", async () => {
  const folder = await temporaryFolder();
  let server = await startRedisServer({ folder, fsync: "always" });
  const api = await openCore(server, { SLUICE_ROLES: ["api"] });
  const roles = "api,engine,worker";
  try {
    const before = startOrigin({ url: server.url, roles });
    await commits(api);
    const requests = ["a", "b", "c"].map((id) => signed(id));
    for (const request of requests) expect((await api.commit(request)).outcome).toEqual({ kind: "done" });
    process.kill(server.child.pid, "SIGKILL");
    before.signal("SIGKILL");
    await Promise.all([server.child.exited, before.child.exited]);
    server = await startRedisServer({ folder, fsync: "always", port: server.port });
    startOrigin({ url: server.url, roles });
    await commits(api);
    for (const request of requests) expect((await api.commit(request)).outcome).toEqual(REPLAYED);
    expect((await api.commit(signed("d"))).outcome).toEqual({ kind: "done" });
  } finally {
    await server.stop();
  }
});
