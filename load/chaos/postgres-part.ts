import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type PostgresServer, startPostgresServer } from "../../kit/postgres-server.ts";
import type { StackPart } from "./stack-part.ts";

/** A real PostgreSQL server as a part of the stack, in its own folder, which another system user may own. */
export async function startPostgresPart(): Promise<StackPart & { readonly url: string }> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-chaos-"));
  let server: PostgresServer = await startPostgresServer(folder);
  return {
    name: "postgres",
    url: server.url,
    port: Number(new URL(server.url).port),
    pid: () => server.child.pid,
    endsWithin: (ms) => Promise.race([server.child.exited.then(() => true), sleep(ms, false)]),
    async kill() {
      process.kill(server.child.pid, "SIGKILL");
      await server.child.exited;
    },
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
    async startAgain() {
      if (server.child.hasExited()) server = await server.again();
    },
    async stop() {
      if (!server.child.hasExited()) server.thaw();
      await server.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
