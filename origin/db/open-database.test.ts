import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { borrowPostgres, type TestServer } from "../../kit/borrowed-servers.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { type Database, DatabaseUnavailable, UniqueViolation } from "./database.ts";
import { defineQuery } from "./define-query.ts";
import { type Migration, migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { openAsItIs, openDatabase } from "./open-database.ts";

const INSERT_USER = "INSERT INTO users (id, username, email, password_hash) VALUES ($1, $2, $3, $4)";
const HASH = "$argon2id$v=19$m=19456,t=2,p=1$x$y";
const FIRST_ID = "00000000-0000-7000-8000-000000000001";

describe.each(["embedded", "server"] as const)("the %s database", (kind) => {
  let server: TestServer | undefined;
  let database: Database;
  let place: { readonly url: string | undefined; readonly folder: string };
  const userOf = (name: string, id: string = crypto.randomUUID()) => [id, name, `${name}@example.test`, HASH];
  const names = async () =>
    (await database.query("SELECT username FROM users ORDER BY username", [])).map(
      (row) => (row as { username: string }).username,
    );

  beforeAll(async () => {
    server = kind === "server" ? await borrowPostgres() : undefined;
    place = { url: server?.url, folder: await temporaryFolder() };
    database = await openDatabase(place);
  });

  afterAll(() => database.close());

  it("returns numbers, texts, arrays and JSON unchanged", async () => {
    const [row] = await database.query(
      "SELECT $1::int AS number, $2::text AS text, $3::text[] AS list, $4::jsonb AS json, $5::boolean AS flag, $6::text AS none",
      [7, "it's ü \\ $1", ["a", 'b"c,{}'], { deep: { list: [1, null] } }, true, null],
    );
    expect(row).toEqual({
      number: 7,
      text: "it's ü \\ $1",
      list: ["a", 'b"c,{}'],
      json: { deep: { list: [1, null] } },
      flag: true,
      none: null,
    });
  });

  it("treats SQL text in a parameter as a value", async () => {
    const name = "'; DROP TABLE users; --";
    expect(await database.query("SELECT $1::text AS name", [name])).toEqual([{ name }]);
    expect(await names()).toEqual([]);
  });

  it("commits all of a transaction or nothing", async () => {
    await database.transaction(async (tx) => {
      await tx.query(INSERT_USER, userOf("anna", FIRST_ID));
      await tx.query(INSERT_USER, userOf("bert"));
    });
    const failing = database.transaction(async (tx) => {
      await tx.query(INSERT_USER, userOf("cora"));
      throw new Error("changed my mind");
    });
    await expect(failing).rejects.toThrow("changed my mind");
    expect(await names()).toEqual(["anna", "bert"]);
  });

  it("names the constraint when a name or an address is taken", async () => {
    const [id, , , hash] = userOf("dora");
    const sameName = database.query(INSERT_USER, [id ?? "", "anna", "other@example.test", hash ?? ""]);
    await expect(sameName).rejects.toThrow(UniqueViolation);
    await expect(sameName).rejects.toMatchObject({ constraint: "users_username_key" });
    const sameMail = database.transaction((tx) =>
      tx.query(INSERT_USER, [id ?? "", "dora", "anna@example.test", hash ?? ""]),
    );
    await expect(sameMail).rejects.toMatchObject({ name: "UniqueViolation", constraint: "users_email_key" });
  });

  it.each([
    ["a name in capitals", ["Eve", "eve@example.test", HASH]],
    ["a name that is too short", ["ev", "eve@example.test", HASH]],
    ["a name with a newline", ["eve\n", "eve@example.test", HASH]],
    ["an address in capitals", ["eve", "Eve@example.test", HASH]],
    ["an address without a domain", ["eve", "eve", HASH]],
    ["a password in clear", ["eve", "eve@example.test", "correct horse battery staple"]],
    ["a hash of another kind", ["eve", "eve@example.test", "$1$salt$hash"]],
  ])("refuses %s", async (_what, [name = "", email = "", hash = ""]) => {
    await expect(database.query(INSERT_USER, [crypto.randomUUID(), name, email, hash])).rejects.toMatchObject({
      code: "23514",
    });
  });

  it.each([
    ["role", "root"],
    ["status", "gone"],
  ])("refuses an unknown %s", async (column, value) => {
    await expect(
      database.query(`UPDATE users SET ${column} = $1 WHERE id = $2`, [value, FIRST_ID]),
    ).rejects.toMatchObject({
      code: "23514",
    });
  });

  it("counts the revisions of a row, and keeps its id", async () => {
    const change = "UPDATE users SET role = 'admin', revision = 1 WHERE id = $1 RETURNING revision";
    expect(await database.query(change, [FIRST_ID])).toEqual([{ revision: 2 }]);
    expect(await database.query(change, [FIRST_ID])).toEqual([{ revision: 3 }]);
    await expect(
      database.query("UPDATE users SET id = $2 WHERE id = $1", [FIRST_ID, crypto.randomUUID()]),
    ).rejects.toThrow("stay");
  });

  it("keeps its data when it is opened again, by one program or several at once", async () => {
    if (kind === "embedded") {
      await database.close();
      database = await openDatabase(place);
    } else {
      const others = await Promise.all(Array.from({ length: 3 }, () => openDatabase(place)));
      await Promise.all(others.map((other) => other.close()));
    }
    expect(await names()).toEqual(["anna", "bert"]);
    expect(await database.query("SELECT count(*)::int AS count FROM schema_migrations", [])).toEqual([
      { count: migrations.length },
    ]);
  });

  it("applies only the missing migrations, and none of them if one fails", async () => {
    const next = (sql: string): readonly Migration[] => [
      ...migrations,
      { version: migrations.length + 1, name: "next", sql },
    ];
    const reopened = async (steps: readonly Migration[]) => {
      if (kind === "embedded") await database.close();
      const opened = await openAsItIs({ ...place, steps });
      await migrate(opened, steps).catch(async (error: unknown) => {
        await opened.close();
        throw error;
      });
      return opened;
    };
    if (kind === "embedded") await database.close();
    const onlyOpened = openDatabase({ ...place, steps: next("CREATE TABLE whole (id int)") });
    await expect(onlyOpened).rejects.toThrow("start the venue to upgrade it");
    await expect(reopened(next("CREATE TABLE half (id int); CREATE TABLE half (id int);"))).rejects.toThrow(
      "already exists",
    );
    const grown = await reopened(next("CREATE TABLE whole (id int)"));
    expect(await grown.query("SELECT to_regclass('half') AS half, to_regclass('whole')::text AS whole", [])).toEqual([
      { half: null, whole: "whole" },
    ]);
    await grown.close();

    await expect(reopened(migrations)).rejects.toThrow(`is at version ${migrations.length + 1}`);
    await expect(reopened(next("CREATE TABLE other (id int)"))).rejects.toThrow("Another program has migrated");
    const back = await reopened(next("CREATE TABLE whole (id int)"));
    if (kind === "embedded") database = back;
    else await back.close();
  });
});

describe("a server", () => {
  it("that is unavailable is distinguished from one that refuses", async () => {
    const server = await borrowPostgres();
    const database = await openDatabase({ url: server.url, folder: "unused" });
    await expect(database.ping()).resolves.toBeUndefined();
    server.freeze();
    await expect(database.query("SELECT 1", [])).rejects.toThrow(DatabaseUnavailable);
    const late = database.transaction((tx) => tx.query(INSERT_USER, [FIRST_ID, "anna", "anna@example.test", HASH]));
    await expect(late).rejects.toThrow(DatabaseUnavailable);
    server.thaw();
    const count = () => database.query("SELECT count(*)::int AS count FROM users", []).catch(() => "away");
    await expect.poll(count).toEqual([{ count: 0 }]);
    // The late transaction rolls back on its own connection; postgres.js must have written that before the server ends.
    const open = "SELECT count(*)::int AS count FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'";
    await expect.poll(() => database.query(open, [])).toEqual([{ count: 0 }]);
    await server.stop();
    await expect(database.ping()).rejects.toThrow();
    await expect(database.query("SELECT 1", [])).rejects.toThrow(DatabaseUnavailable);
    await database.close();
  });

  it("that does not answer prevents the start", async () => {
    await expect(openDatabase({ url: "postgres://sluice@127.0.0.1:1/postgres", folder: "unused" })).rejects.toThrow(
      "ECONNREFUSED",
    );
  });
});

describe("defineQuery", () => {
  it("parses many rows in pieces, yielding to the event loop in between", async () => {
    let inThisTurn = 0;
    let mostInOneTurn = 0;
    const row = z.object({ id: z.int() }).transform((taken) => {
      mostInOneTurn = Math.max(mostInOneTurn, ++inThisTurn);
      return taken;
    });
    const rows = Array.from({ length: 2_000 }, (_, id) => ({ id }));
    const nextTurn = () => {
      inThisTurn = 0;
      timer = setImmediate(nextTurn);
    };
    let timer = setImmediate(nextTurn);
    const many = defineQuery({ name: "many", source: "SELECT 1", params: [], row });
    expect(await many.all({ query: async () => rows }, {})).toEqual(rows);
    clearImmediate(timer);
    expect(mostInOneTurn).toBeLessThan(500);
  });

  it("refuses a definition that lists other parameters than its file", () => {
    const source = "-- $1 id\n-- $2 name\nSELECT 1";
    expect(() => defineQuery({ name: "x", source, params: ["name", "id"], row: z.unknown() })).toThrow(
      "different parameters",
    );
    expect(() => defineQuery({ name: "x", source: "-- $2 id\nSELECT 1", params: ["id"], row: z.unknown() })).toThrow(
      "order",
    );
  });
});
