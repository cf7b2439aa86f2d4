import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Redis } from "ioredis";
import { afterAll, expect, it } from "vitest";
import { queueKeys } from "../../edge/line/keys.ts";
import { openRegistry } from "../../edge/line/registry.ts";
import { queueSettingsSchema } from "../../edge/line/settings.ts";
import { borrowRedis } from "../../kit/borrowed-servers.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { UNHURRIED } from "../../kit/unhurried.ts";
import { startUnhurriedBridge } from "../../kit/unhurried-bridge.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import { newSecret, systemRandom } from "../../shared/ids.ts";
import { newTokenKey } from "../../shared/tokens/new-token-key.ts";
import { REPORTS_FD, startChild } from "../../stack/servers/child.ts";
import { bundleWorker, WORKER_ENTRY } from "../../stack/servers/edge-server.ts";
import { workerdConfig } from "../../stack/servers/workerd-config.ts";

const { default: WORKERD_PROGRAM } = createRequire(import.meta.url)("workerd") as { readonly default: string };

/** A second worker beside ours, which does what the platform's cron does: it fires the event at the service itself. */
const TRIGGER = `export default { fetch: async (_request, { EDGE }) => Response.json(await EDGE.scheduled({ cron: "* * * * *" })) };`;

function withTrigger(config: string): string {
  const worker = `const trigger :Workerd.Worker = (
  modules = [(name = "trigger.js", esModule = embed "trigger.js")],
  compatibilityDate = "2026-09-18",
  compatibilityFlags = ["service_binding_extra_handlers"],
  bindings = [(name = "EDGE", service = "edge")]
);`;
  return `${config
    .replace(
      '(name = "edge", worker = .edge),',
      '(name = "edge", worker = .edge), (name = "trigger", worker = .trigger),',
    )
    .replace(
      'service = "edge")]',
      'service = "edge"), (name = "trigger", address = "127.0.0.1:0", http = (), service = "trigger")]',
    )}
${worker}
`;
}

const redisServer = await borrowRedis({ fsync: "no" });
const redis = new Redis(redisServer.url);
const token = newSecret(systemRandom);
const bridge = await startUnhurriedBridge({ redisUrl: redisServer.url, token });

async function startWorkerWithTrigger() {
  const folder = await temporaryFolder();
  await bundleWorker(WORKER_ENTRY, folder);
  const key = await newTokenKey("k1");
  const variables = {
    UPSTASH_REDIS_REST_URL: bridge.url,
    UPSTASH_REDIS_REST_TOKEN: token,
    ...UNHURRIED,
    SLUICE_SIGNING_KEYS: JSON.stringify({ active: key.kid, keys: [key] }),
  };
  const addresses = {
    port: 0,
    originAddress: "127.0.0.1:1",
    storeAddress: `127.0.0.1:${bridge.port}`,
    allowsPrivateTargets: false,
  };
  await writeFile(join(folder, "trigger.js"), TRIGGER);
  const configFile = join(folder, "workerd.capnp");
  await writeFile(configFile, withTrigger(workerdConfig({ ...addresses, variableNames: Object.keys(variables) })));
  const args = ["serve", "--experimental", `--control-fd=${REPORTS_FD}`, configFile];
  const child = startChild({ name: "edge", command: WORKERD_PROGRAM, args, environment: variables });
  for await (const line of createInterface({ input: child.reports })) {
    const report = JSON.parse(line) as { event: string; socket?: string; port?: number };
    if (report.event === "listen" && report.socket === "trigger")
      return { child, url: `http://127.0.0.1:${report.port}` };
  }
  throw new Error("workerd did not come up");
}

const { child, url } = await startWorkerWithTrigger();

afterAll(async () => {
  await child.stop();
  await bridge.stop();
  redis.disconnect();
});

it("the worker's cron sweeps lines without polls: expired slots return, and absent visitors are dropped", async () => {
  const registry = openRegistry(scriptRunner(redis));
  const settings = queueSettingsSchema.parse({ name: "Quiet", maxActive: 5, admissionRate: 1 });
  const longAgo = 1_000;
  const queueIds = Array.from({ length: 20 }, (_, index) => `quiet-${index}`);
  for (const queueId of queueIds) {
    const { active, ready, waiting, beats } = queueKeys(queueId);
    await registry.writeQueue(queueId, settings, 0);
    await redis
      .multi()
      .zadd(active, longAgo, "lapsed")
      .zadd(ready, 1, "lapsed")
      .zadd(waiting, 2, "gone")
      .zadd(beats, longAgo, "gone")
      .exec();
  }
  // One that cannot be swept does not hold up the others.
  await redis.set(queueKeys("broken").meta, "of the wrong type");
  await redis.sadd("gate:{directory}:queues", "broken");
  const fired = await fetch(url);
  expect(await fired.json()).toMatchObject({ outcome: "ok" });
  for (const queueId of queueIds) {
    const { active, ready, waiting, beats } = queueKeys(queueId);
    expect(await redis.exists(active, ready, waiting, beats), queueId).toBe(0);
  }
});
