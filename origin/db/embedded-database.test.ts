import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { getPriority } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { createLogger } from "../../stack/program/log.ts";
import { DatabaseUnavailable, UniqueViolation } from "./database.ts";
import { type EmbeddedDatabase, openEmbeddedDatabase } from "./embedded-database.ts";
import { layOutEmbedded } from "./lay-out-embedded.ts";

const LONG_STATEMENT = "SELECT count(*)::int AS count FROM generate_series(1, 1000000)";
const INSERT = "INSERT INTO notes (note) VALUES ($1)";

describe("the embedded database", () => {
  const lines: string[] = [];
  let database: EmbeddedDatabase;
  let folder: string;
  let thread: Worker;
  const notes = async () =>
    (await database.query("SELECT note FROM notes ORDER BY note", [])).map((row) => (row as { note: string }).note);
  const isOpen = () =>
    database.ping().then(
      () => true,
      () => false,
    );

  beforeAll(async () => {
    folder = await temporaryFolder();
    process.once("worker", (worker) => {
      thread = worker;
    });
    database = await openEmbeddedDatabase(folder, {
      log: createLogger("test", { write: (line) => void lines.push(line) }),
    });
    await database.query("CREATE TABLE notes (note text PRIMARY KEY)", []);
  });

  afterAll(async () => {
    await database.close();
  });

  it("leaves its caller's thread free while it works", async () => {
    let turns = 0;
    let isDone = false;
    const counted = database
      .transaction((tx) => tx.query(LONG_STATEMENT, []), 60_000)
      .finally(() => {
        isDone = true;
      });
    while (!isDone) {
      await nextTurn();
      turns++;
    }
    expect(await counted).toEqual([{ count: 1_000_000 }]);
    expect(turns).toBeGreaterThan(1_000);
  });

  it.runIf(process.platform === "linux")("yields the core to its caller's thread when both need it", async () => {
    const threads = await readdir("/proc/self/task");
    const stats = await Promise.all(threads.map((id) => readFile(`/proc/self/task/${id}/stat`, "utf8")));
    const niceness = new Map(
      stats.map((text) => [/\((.*)\)/.exec(text)?.[1], Number(text.slice(text.lastIndexOf(")")).split(" ")[17])]),
    );
    expect(niceness.get("database")).toBe(Math.max(5, getPriority()));
  });

  it("rolls back a transaction that takes too long, and rejects it", async () => {
    const late = Promise.withResolvers<unknown>();
    const slow = database.transaction(async (tx) => {
      await tx.query(INSERT, ["slow"]);
      await sleep(1_500);
      await tx.query(INSERT, ["slower"]).catch(late.resolve);
    }, 1_000);
    await expect(slow).rejects.toThrow(DatabaseUnavailable);
    expect(await notes()).toEqual([]);
    expect(await late.promise).toBeInstanceOf(DatabaseUnavailable);
    expect(await notes()).toEqual([]);
  });

  it("does not run a call that was cancelled during another transaction", async () => {
    const isHeld = Promise.withResolvers<void>();
    const isFree = Promise.withResolvers<void>();
    const holding = database.transaction(async (tx) => {
      await tx.query(INSERT, ["held"]);
      isHeld.resolve();
      await isFree.promise;
    }, 60_000);
    await isHeld.promise;
    const behind = database.query(INSERT, ["behind"]);
    const transactionBehind = database.transaction((tx) => tx.query(INSERT, ["transaction behind"]), 100);
    await expect(transactionBehind).rejects.toThrow(DatabaseUnavailable);
    await expect(behind).rejects.toThrow(DatabaseUnavailable);
    isFree.resolve();
    await holding;
    expect(await notes()).toEqual(["held"]);
  });

  it("keeps the order of statements that are sent together, and fails with their first fault", async () => {
    const together = database.transaction((tx) =>
      Promise.all(["one", "one", "two"].map((note) => tx.query(INSERT, [note]))),
    );
    await expect(together).rejects.toThrow(UniqueViolation);
    await expect(together).rejects.toMatchObject({ constraint: "notes_pkey" });
    expect(await notes()).toEqual(["held"]);
  });

  it("refuses calls beyond its bound at once", async () => {
    const calls = Array.from({ length: 201 }, () => database.query("SELECT 1", []));
    await expect(calls.at(-1)).rejects.toThrow("200 calls are waiting already");
    await Promise.all(calls.slice(0, -1));
  });

  it("serves another thread over a port, and rolls back its open transactions at its end", async () => {
    const client = new URL("./port-database.ts", import.meta.url).href;
    const program = `
      import { parentPort, workerData } from "node:worker_threads";
      import { databaseOverPort } from ${JSON.stringify(client)};
      const database = databaseOverPort(workerData.port);
      const [{ note }] = await database.query("SELECT note FROM notes", []);
      const taken = await database.query(${JSON.stringify(INSERT)}, [note]).catch((error) => error.name + " " + error.constraint);
      await database.transaction((tx) => tx.query(${JSON.stringify(INSERT)}, ["from a thread"]));
      void database.transaction(async (tx) => {
        await tx.query(${JSON.stringify(INSERT)}, ["left open"]);
        parentPort.postMessage({ note, taken });
        await new Promise(() => {});
      }, 60_000);`;
    const port = database.port();
    const other = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`), {
      workerData: { port },
      transferList: [port],
    });
    expect(await once(other, "message")).toEqual([{ note: "held", taken: "UniqueViolation notes_pkey" }]);
    await other.terminate();
    expect(await notes()).toEqual(["from a thread", "held"]);
  });

  it("reopens after its thread has ended, with all committed data", async () => {
    const running = database.transaction(async (tx) => {
      await tx.query(INSERT, ["not committed"]);
      await thread.terminate();
      await tx.query("SELECT 1", []);
    });
    await expect(running).rejects.toThrow(DatabaseUnavailable);
    await expect(database.query("SELECT 1", [])).rejects.toThrow(DatabaseUnavailable);
    await expect(database.ping()).rejects.toThrow(DatabaseUnavailable);
    await expect.poll(isOpen).toBe(true);
    expect(await notes()).toEqual(["from a thread", "held"]);
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      "the embedded database's thread has ended: calls fail until it is open again",
      "the embedded database is open again",
    ]);
  });

  it("says why a folder cannot be opened", async () => {
    await expect(openEmbeddedDatabase("/dev/null/nowhere")).rejects.toThrow("ENOTDIR");
  });

  it("does not keep an otherwise idle process alive", async () => {
    const url = new URL("./embedded-database.ts", import.meta.url).href;
    const loader = new URL("../../stack/program/lua-loader.ts", import.meta.url).href;
    const laidOut = join(await temporaryFolder(), "postgres");
    await layOutEmbedded(laidOut);
    const script = `import { openEmbeddedDatabase } from ${JSON.stringify(url)};
      const database = await openEmbeddedDatabase(${JSON.stringify(laidOut)});
      console.log(JSON.stringify(await database.query("SELECT 1 AS one", [])));`;
    const { stdout, status } = spawnSync(process.execPath, ["--import", loader, "--input-type=module", "-e", script], {
      encoding: "utf8",
      timeout: 60_000,
    });
    expect(stdout).toBe('[{"one":1}]\n');
    expect(status).toBe(0);
  });
});
