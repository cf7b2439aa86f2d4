import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { Redis } from "ioredis";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Loan, type ServerKind, setup } from "../../kit/server-pool.ts";

/** A pool of this file's own; the one of the run is vitest's. */
let path = "";
let close: () => Promise<void>;

beforeAll(async () => {
  const provide = (_name: string, value: string) => {
    path = value;
  };
  close = await setup({ provide } as unknown as Parameters<typeof setup>[0]);
});
afterAll(() => close());

type Borrowed = Loan & { readonly socket: Socket; readonly giveBack: () => Promise<void> };

async function borrow(kind: ServerKind): Promise<Borrowed> {
  const socket = connect(path);
  socket.write(`${kind}\n`);
  const [line] = (await once(createInterface({ input: socket }), "line")) as [string];
  const giveBack = async () => {
    socket.end();
    await once(socket, "close");
  };
  return { ...(JSON.parse(line) as Loan), socket, giveBack };
}

async function withRedis<Result>({ url }: Loan, work: (redis: Redis) => Promise<Result>): Promise<Result> {
  const redis = new Redis(url);
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

describe("the server pool", () => {
  it("lends a returned server again, emptied, and never one server to two borrowers", async () => {
    const [one, other] = [await borrow("redis"), await borrow("redis")];
    expect(one.pid).not.toBe(other.pid);
    await withRedis(one, (redis) => redis.set("left", "behind"));
    await one.giveBack();
    const next = await borrow("redis");
    expect(next.pid).toBe(one.pid);
    expect(await withRedis(next, (redis) => redis.dbsize())).toBe(0);
    await Promise.all([other.giveBack(), next.giveBack()]);
  });

  it("ends the loan of a server that was killed, and lends it to no other", async () => {
    const borrowed = await borrow("durable redis");
    const ended = once(borrowed.socket, "close");
    process.kill(borrowed.pid, "SIGKILL");
    await ended;
    const next = await borrow("durable redis");
    expect(next.pid).not.toBe(borrowed.pid);
    await next.giveBack();
  });

  it("lends no server to another whose configuration was changed", async () => {
    const borrowed = await borrow("redis");
    await withRedis(borrowed, (redis) => redis.config("SET", "maxmemory", "100mb"));
    await borrowed.giveBack();
    const next = await borrow("redis");
    expect(next.pid).not.toBe(borrowed.pid);
    await next.giveBack();
  });

  it("gives each borrower of PostgreSQL a new database", async () => {
    const first = await borrow("postgres");
    const sql = postgres(first.url, { max: 1, onnotice: () => {} });
    await sql`CREATE TABLE left_behind (id int)`;
    await sql.end();
    await first.giveBack();
    const next = await borrow("postgres");
    expect([next.pid === first.pid, next.url === first.url]).toEqual([true, false]);
    const fresh = postgres(next.url, { max: 1, onnotice: () => {} });
    const tables = await fresh`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`;
    const databases = await fresh`SELECT datname FROM pg_database WHERE NOT datistemplate`;
    expect([[...tables], databases.map(({ datname }) => String(datname)).toSorted()]).toEqual([
      [],
      ["loan_2", "postgres"],
    ]);
    await fresh.end();
    await next.giveBack();
  });
});
