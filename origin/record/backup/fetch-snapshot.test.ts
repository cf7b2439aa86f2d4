import { readFile } from "node:fs/promises";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../kit/temporary-folder.ts";
import { startRedisServer } from "../../../stack/servers/redis-server.ts";
import { fetchSnapshot } from "./fetch-snapshot.ts";

test("a snapshot may contain text that looks like an error", async () => {
  const folder = await temporaryFolder();
  const server = await startRedisServer({ folder, fsync: "no", password: "behind-a-password" });
  const redis = new Redis(server.url);
  await redis.set("note", "\n-no\r\n");
  await fetchSnapshot(server.url, `${folder}/snapshot.rdb`);
  const snapshot = await readFile(`${folder}/snapshot.rdb`, "latin1");
  expect(snapshot).toMatch(/^REDIS\d{4}/);
  expect(snapshot).toContain("\n-no\r\n");
  redis.disconnect();
  await server.stop();
});

test("a refusal contains the server's reason", async () => {
  const folder = await temporaryFolder();
  const server = await startRedisServer({ folder, fsync: "no", password: "behind-a-password" });
  const wrong = server.url.replace("behind-a-password", "another");
  await expect(fetchSnapshot(wrong, `${folder}/snapshot.rdb`)).rejects.toThrow(/refuses its snapshot: WRONGPASS/);
  await server.stop();
});
