import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ClusterNode, type LocalCluster, startCluster } from "../../deploy/cluster/start-cluster.ts";
import { openIoredisStore } from "../../edge/node/ioredis-store.ts";
import { queueKeys } from "../../edge/queue/keys.ts";
import { openRegistry } from "../../edge/queue/registry.ts";
import { queueSettingsSchema } from "../../edge/queue/settings.ts";
import type { EdgeServer } from "../../origin/stack/edge-server.ts";
import { startNodeEdgeServer } from "../../origin/stack/node-edge-server.ts";
import { newSecret, systemRandom } from "../../shared/ids.ts";
import { newTokenKey } from "../../shared/new-token-key.ts";
import { SLOW_MACHINE_MS } from "../parts/running-stack.ts";
import { temporaryFolder } from "../parts/temporary-folder.ts";
import { type RecordingOrigin, startRecordingOrigin } from "../proxy/recording-origin.ts";
import { type ClusterCrowd, playCrowd } from "./cluster-crowd.ts";

/**
 * The gate on three masters and three replicas. A master is killed at its worst moment: when its replica has not heard of what it has just
 * said. What visitors were told is counted on their side, because the store is the one that forgets.
 */
const NODE_TIMEOUT_MS = 1_000;
const CAP = 6;
const BURST = 6;
const RATE = 20;
/** What the gate never exceeds when it tells somebody when to poll again: no stall may last longer (G4). */
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
  const settings = queueSettingsSchema.parse({ name: queueId, maxActive: CAP, admissionRate: RATE, admissionBurst: BURST });
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
  const started = await Promise.all([1, 2].map(() => startNodeEdgeServer({ originAddress: origin.address, variables })));
  edges.push(...started);
  const [first, second] = started.map(({ url }) => url);
  return [first ?? "", second ?? ""];
}

/** The replica is cut off and stands still, so that nothing of what the master says meanwhile reaches it; then the master dies. */
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

it("keeps cap, rate, order, drain and idempotence through the death of a master when answers wait for a replica", {
  timeout: SLOW_MACHINE_MS,
}, async () => {
  const urls = await startGate("waits", 1);
  const crowd = playCrowd({ urls, queueId: "waits", count: 30 });
  try {
    await crowd.untilAdmitted(CAP);
    const dead = await killUnheard("waits", async () => {
      await crowd.leaveAll();
      // Time for the next ones to be let in, were there anybody to let them.
      await new Promise((resolve) => setTimeout(resolve, NODE_TIMEOUT_MS / 2));
    });
    // Nobody was told anything that only the dead one knew.
    expect(crowd.admitted()).toBe(CAP);
    const diedAtMs = performance.now();
    await expect.poll(async () => (await cluster.serving(queueKeys("waits").meta)).master.port, { timeout: 30_000 }).not.toBe(dead.port);
    const promotedMs = performance.now() - diedAtMs;
    // A master without a replica keeps no such promise, so the line stands until there is one again.
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
    process.stdout.write(`replica promoted ${Math.round(promotedMs)} ms, line serves ${Math.round(servesAgainMs)} ms after the kill\n`);
  } finally {
    await crowd.stop();
  }
});

it("loses what only the dead master knew when answers wait for nobody: the slots are given once more", {
  timeout: SLOW_MACHINE_MS,
}, async () => {
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
    // Beyond the cap by those whom the new master has never heard of, and by nobody else; nobody is let in twice.
    expect(crowd?.insideMost(), "G1").toBe(2 * CAP);
    await crowd?.leaveAll();
    const leftAtMs = performance.now();
    await crowd?.untilAllWereIn();
    expect(crowd?.insideMost(), "G1").toBe(2 * CAP);
    // Everybody joined unheard: the tickets have kept their places, and all were let in, each once.
    expect(crowd?.movedPlaces(), "G3").toBe(0);
    expect(crowd?.longestPauseMs(leftAtMs), "G4").toBeLessThan(POLL_MS_MAX);
    expect(crowd?.sessionsOfOneTicketMost(), "G5").toBe(1);
    process.stdout.write(`line serves ${Math.round(servesAgainMs)} ms after the kill\n`);
    await dead.startAgain();
  } finally {
    await crowd?.stop();
  }
});
