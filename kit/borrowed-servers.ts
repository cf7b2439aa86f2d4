import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { inject } from "vitest";
import { startRedisServer } from "../stack/servers/redis-server.ts";
import { signalServer } from "./postgres-server.ts";
import type { RedisCluster } from "./redis-cluster.ts";
import type { Loan, ServerKind } from "./server-pool.ts";

/**
 * A server of the run's pool (`server-pool.ts`), empty, for this test file only, until its process ends. A test may
 * freeze or kill it. A test that restarts its server, or chooses its configuration, starts its own.
 */
export type TestServer = Loan & {
  /** Resolves when the server's process has ended. */
  readonly exited: Promise<void>;
  /** Kills the server, as an outage; to return a borrowed one needs no call. */
  readonly stop: () => Promise<void>;
  /** Every process of the server stops and no connection is closed, as on a machine that hangs. */
  readonly freeze: () => void;
  readonly thaw: () => void;
};

/** `always`: with an append-only file, as the venue requires. `no`: in memory. */
export function borrowRedis({ fsync }: { readonly fsync: "no" | "always" }): Promise<TestServer> {
  return borrow(fsync === "no" ? "redis" : "durable redis");
}

/** Three masters. */
export async function borrowRedisCluster(): Promise<Pick<RedisCluster, "nodes">> {
  const { nodes } = await borrow("redis cluster");
  return { nodes };
}

/** With a new, empty database. */
export function borrowPostgres(): Promise<TestServer> {
  return borrow("postgres");
}

async function borrow(kind: ServerKind): Promise<TestServer> {
  const socket = connect(inject("serverPool"));
  socket.write(`${kind}\n`);
  const [line] = (await once(createInterface({ input: socket }), "line")) as [string];
  const loan = JSON.parse(line) as Loan | { readonly error: string };
  if ("error" in loan) throw new Error(`no ${kind} to borrow: ${loan.error}`);
  // The connection is the loan: it ends with this process.
  socket.unref();
  return testServer(
    loan,
    once(socket, "close").then(() => {}),
  );
}

/** A Redis of the test's own, on the files in this folder. The test stops it. */
export async function startOwnRedis(folder: string): Promise<TestServer> {
  const { child, url, port } = await startRedisServer({ folder, fsync: "always" });
  return testServer(
    { url, port, pid: child.pid, folder, nodes: [] },
    child.exited.then(() => {}),
  );
}

function testServer(loan: Loan, exited: Promise<void>): TestServer {
  let hasExited = false;
  void exited.then(() => {
    hasExited = true;
  });
  return {
    ...loan,
    exited,
    stop: async () => {
      if (!hasExited) signalServer(loan.pid, "SIGKILL");
      await exited;
    },
    freeze: () => signalServer(loan.pid, "SIGSTOP"),
    thaw: () => signalServer(loan.pid, "SIGCONT"),
  };
}
