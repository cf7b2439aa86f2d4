// @module-tag timing: no visitor waits longer than one poll interval after a master died.
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ClusterNode, type LocalCluster, startCluster } from "../../deploy/cluster/start-cluster.ts";
import { queueKeys } from "../../edge/line/keys.ts";
import { openRegistry } from "../../edge/line/registry.ts";
import { queueSettingsSchema } from "../../edge/line/settings.ts";
import { openIoredisStore } from "../../edge/node/ioredis-store.ts";
import { IS_FULL_RUN } from "../../kit/full-run.ts";
import { SLOW_MACHINE_MS } from "../../kit/running-stack.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { newSecret, systemRandom } from "../../shared/ids.ts";
import { newTokenKey } from "../../shared/tokens/new-token-key.ts";
import { type EdgeServer, startNodeEdgeServer } from "../../stack/servers/edge-server.ts";
import { type RecordingOrigin, startRecordingOrigin } from "../proxy/recording-origin.ts";
import { type ClusterCrowd, playCrowd } from "./cluster-crowd.ts";

/**
 * The gate on three masters and three replicas. A master is killed at the worst moment: before its replica has received
 * its last writes. Answers are counted on the visitors' side, because the store is the part that loses data.
 */
const NODE_TIMEOUT_MS = 1_000;
const CAP = 6;
const BURST = 6;
const RATE = 20;
/** The gate's longest poll interval: no stall may last longer (G4). */
const POLL_MS_MAX = 12_000;

let cluster: LocalCluster;
let origin: RecordingOrigin;
let keys: string;
const edges: EdgeServer[] = [];
beforeAll(async () => {
  cluster = await startCluster({ folder: await temporaryFolder(), nodeTimeoutMs: NODE_TIMEOUT_MS });
  origin = await startRecordingOrigin();
  keys = JSON.stringify({ active: "k1", keys: [await newTokenKey("k1")] });
});
afterAll(async () => {
  await Promise.all(edges.map((edge) => edge.stop()));
  await origin.stop();
  await cluster.stop();
});

async function startGate(queueId: string, replicas: number): Promise<readonly [string, ...string[]]> {
  const store = openIoredisStore({ urls: cluster.urls, isCluster: true });
  await store.settled;
  const registry = openRegistry(store.runner);
  const settings = queueSettingsSchema.parse({
    name: queueId,
    maxActive: CAP,
    admissionRate: RATE,
    admissionBurst: BURST,
  });
  await registry.writeQueue(queueId, settings, 0);
  await registry.writeRoutes([{ host: "*", path: "/*", queueId }]);
  store.close();
  const variables = {
    REDIS_URL: cluster.urls.join(","),
    SLUICE_REDIS_CLUSTER: "1",
    SLUICE_REDIS_REPLICAS: String(replicas),
    SLUICE_SIGNING_KEYS: keys,
    SLUICE_ADMIN_TOKEN: newSecret(systemRandom),
    SLUICE_JOINS_PER_ADDRESS: "10000",
  };
  const started = await Promise.all(
    [1, 2].map(() => startNodeEdgeServer({ originAddress: origin.address, variables })),
  );
  edges.push(...started);
  const [first, second] = started.map(({ url }) => url);
  return [first ?? "", second ?? ""];
}

/** Disconnects and stops the replica, so that it misses the master's next writes; then kills the master. */
async function killUnheard(queueId: string, meanwhile: () => Promise<void>): Promise<ClusterNode> {
  const { master, replicas } = await cluster.serving(queueKeys(queueId).meta);
  const [replica] = replicas;
  if (replica === undefined) throw new Error("the master has no replica");
  process.kill(replica.child().pid, "SIGSTOP");
  try {
    const redis = new Redis(master.url);
    await redis.call("CLIENT", "KILL", "TYPE", "replica");
    redis.disconnect();
    await meanwhile();
    process.kill(master.child().pid, "SIGKILL");
    await master.child().exited;
    return master;
  } finally {
    process.kill(replica.child().pid, "SIGCONT");
  }
}

it("keeps cap, rate, order, drain and idempotence when a master dies and answers wait for a replica", {
  timeout: SLOW_MACHINE_MS,
}, async () => {
  const urls = await startGate("waits", 1);
  const crowd = playCrowd({ urls, queueId: "waits", count: 30 });
  try {
    await crowd.untilAdmitted(CAP);
    const dead = await killUnheard("waits", async () => {
      await crowd.leaveAll();
      // Time for further admissions, if the master could still grant them.
      await new Promise((resolve) => setTimeout(resolve, NODE_TIMEOUT_MS / 2));
    });
    // No visitor was admitted by a write that only the dead master had.
    expect(crowd.admitted()).toBe(CAP);
    const diedAtMs = performance.now();
    await expect
      .poll(async () => (await cluster.serving(queueKeys("waits").meta)).master.port, { timeout: 30_000 })
      .not.toBe(dead.port);
    const promotedMs = performance.now() - diedAtMs;
    // A master without a replica cannot keep this promise, so the line waits until it has one.
    await dead.startAgain();
    await crowd.untilAdmitted(2 * CAP);
    const servesAgainMs = performance.now() - diedAtMs;
    await crowd.untilAllWereIn();
    expect(crowd.insideMost(), "G1").toBeLessThanOrEqual(CAP);
    expect(crowd.beyondRate({ rate: RATE, burst: BURST }), "G2").toBe(0);
    const { count: overtaken, compared, worstMs } = crowd.overtaken();
    expect(compared, "G13").toBeGreaterThan(CAP);
    expect(overtaken, `G13, worst ${Math.round(worstMs)} ms`).toBe(0);
    expect(crowd.movedPlaces(), "G3").toBe(0);
    expect(crowd.longestPauseMs(diedAtMs + servesAgainMs), "G4").toBeLessThan(POLL_MS_MAX);
    expect(crowd.sessionsOfOneTicketMost(), "G5").toBe(1);
    process.stdout.write(
      `replica promoted ${Math.round(promotedMs)} ms, line serves ${Math.round(servesAgainMs)} ms after the kill\n`,
    );
  } finally {
    await crowd.stop();
  }
});

const withoutReplicas = async () => {
  const urls = await startGate("hurries", 0);
  let crowd: ClusterCrowd | undefined;
  try {
    const dead = await killUnheard("hurries", async () => {
      crowd = playCrowd({ urls, queueId: "hurries", count: 30 });
      await crowd.untilAdmitted(CAP);
    });
    const diedAtMs = performance.now();
    await crowd?.untilAdmitted(2 * CAP);
    const servesAgainMs = performance.now() - diedAtMs;
    // Beyond the cap by exactly the admissions that the new master does not know; no visitor is admitted twice.
    expect(crowd?.insideMost(), "G1").toBe(2 * CAP);
    await crowd?.leaveAll();
    const leftAtMs = performance.now();
    await crowd?.untilAllWereIn();
    expect(crowd?.insideMost(), "G1").toBe(2 * CAP);
    // The new master knew none of the joins: the tickets kept the places, and all were admitted once.
    expect(crowd?.movedPlaces(), "G3").toBe(0);
    expect(crowd?.longestPauseMs(leftAtMs), "G4").toBeLessThan(POLL_MS_MAX);
    expect(crowd?.sessionsOfOneTicketMost(), "G5").toBe(1);
    process.stdout.write(`line serves ${Math.round(servesAgainMs)} ms after the kill\n`);
    await dead.startAgain();
  } finally {
    await crowd?.stop();
  }
};
if (IS_FULL_RUN) {
  const timeout = SLOW_MACHINE_MS;
  it("gives the slots of a dead master out again when answers do not wait for a replica", { timeout }, withoutReplicas);
}
