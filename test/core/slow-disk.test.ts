import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { findProgram } from "../../stack/servers/find-program.ts";
import { startRedisServer } from "../../stack/servers/redis-server.ts";
import { auditCore, toldOf } from "./audit-core.ts";
import { engineIs, openCore } from "./core.ts";
import { makeOrders } from "./make-orders.ts";

const strace = findProgram("strace");

/**
 * On a fast disk `kill -9` loses nothing even without fsync; only a slow one reveals an answer before the write is
 * safe.
 */
it.runIf(strace !== undefined)("loses nothing that was acknowledged when Redis is killed on a slow disk", async () => {
  const folder = await temporaryFolder();
  let server = await startRedisServer({ folder, fsync: "always" });
  const core = await openCore(server);
  await engineIs(core, "leader");
  const orders = makeOrders(core, 31);
  await orders.untilMore(100);
  const delay = "inject=fdatasync:delay_enter=250000";
  const slow = spawn(strace ?? "", [
    "-f",
    "-qq",
    "-o",
    "/dev/null",
    "-e",
    "trace=fdatasync",
    "-e",
    delay,
    "-p",
    String(server.child.pid),
  ]);
  try {
    await sleep(300);
    const before = orders.answers.length;
    await orders.untilMore(40);
    expect(orders.answers.length).toBeGreaterThan(before);
    process.kill(server.child.pid, "SIGKILL");
    await server.child.exited;
    server = await startRedisServer({ folder, fsync: "always", port: server.port });
    await orders.untilMore(100);
    await orders.stop();
    await core.trading.stop();
    await auditCore(core.redis, { acknowledged: toldOf(orders.answers) });
  } finally {
    slow.kill("SIGKILL");
    await server.stop();
  }
});
