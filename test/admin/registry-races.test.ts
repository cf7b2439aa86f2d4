import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openRegistry, type Registry } from "../../edge/line/registry.ts";
import { queueSettingsSchema } from "../../edge/line/settings.ts";
import { borrowRedis, type TestServer } from "../../kit/borrowed-servers.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import type { ScriptRunner } from "../../shared/store/define-script.ts";
import { SETTINGS } from "./admin-gate.ts";

const settings = queueSettingsSchema.parse(SETTINGS);
let server: TestServer;
let redis: Redis;
let registry: Registry;

beforeAll(async () => {
  server = await borrowRedis({ fsync: "no" });
  redis = new Redis(server.url);
  registry = openRegistry(scriptRunner(redis));
});

beforeEach(async () => {
  await redis.flushall();
  expect(await registry.writeQueue("launch", settings, 0)).toBe(1);
});

afterAll(async () => {
  redis.disconnect();
});

/** A registry that runs another operator's whole action before the given script call. */
function interrupted(beforeCall: number, action: () => Promise<unknown>): Registry {
  const real = scriptRunner(redis);
  let calls = 0;
  const interrupt = async () => {
    if (calls++ === beforeCall) await action();
  };
  const store: ScriptRunner = {
    evalsha: async (sha, keys, args) => {
      await interrupt();
      return real.evalsha(sha, keys, args);
    },
    eval: (source, keys, args) => real.eval(source, keys, args),
  };
  return openRegistry(store);
}

async function expectListedIfThere(): Promise<void> {
  const exists = (await registry.readQueue("launch")) !== undefined;
  expect((await registry.readDirectory()).queueIds).toEqual(exists ? ["launch"] : []);
}

describe("a queue that two operators delete and create at once", () => {
  it.each([0, 1, 2, 3])("is listed exactly when it is there: made before step %i of its deletion", async (step) => {
    await interrupted(step, () => registry.writeQueue("launch", settings, 0)).deleteQueue("launch", { force: true });
    await expectListedIfThere();
  });

  it.each([0, 1, 2])("is listed exactly when it is there: deleted before step %i of its making", async (step) => {
    await interrupted(step, () => registry.deleteQueue("launch", { force: true })).writeQueue("launch", settings, 0);
    await expectListedIfThere();
  });

  it.each([0, 1])("is not brought back by a change of its settings: deleted before step %i", async (step) => {
    await interrupted(step, () => registry.deleteQueue("launch", { force: true })).writeQueue("launch", settings, 1);
    await expectListedIfThere();
  });
});
