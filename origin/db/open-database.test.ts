import { describe, expect, it } from "vitest";
import { startPostgresServer } from "../../test/parts/postgres-server.ts";
import { temporaryFolder } from "../../test/parts/temporary-folder.ts";
import { openDatabase } from "./open-database.ts";

describe("openDatabase", () => {
  it("opens PostgreSQL embedded in a folder, and opens it again", async () => {
    const folder = await temporaryFolder();
    for (let start = 0; start < 2; start++) {
      const database = await openDatabase({ url: undefined, folder });
      await expect(database.ping()).resolves.toBeUndefined();
      await database.close();
    }
  });

  it("opens the server at a URL, and notices when it is gone", async () => {
    const server = await startPostgresServer(await temporaryFolder());
    const database = await openDatabase({ url: server.url, folder: "unused" });
    await expect(database.ping()).resolves.toBeUndefined();
    await server.stop();
    await expect(database.ping()).rejects.toThrow();
    await database.close();
  });

  it("refuses to start on a server that does not answer", async () => {
    await expect(openDatabase({ url: "postgres://sluice@127.0.0.1:1/postgres", folder: "unused" })).rejects.toThrow("ECONNREFUSED");
  });
});
