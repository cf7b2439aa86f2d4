import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { QueueSettings } from "../../edge/line/settings.ts";
import { assert } from "../../shared/assert.ts";
import { systemRandom } from "../../shared/ids.ts";
import { runStack } from "../../stack/run-stack.ts";
import { loadOrCreateSecrets } from "../../stack/secrets.ts";
import { freePort } from "../../stack/servers/free-port.ts";
import { REDIS_PROGRAMS } from "../../stack/servers/redis-server.ts";
import { waitUntilHealthy } from "../../stack/servers/wait-until-ready.ts";
import { parseStackSettings, type StackSettings } from "../../stack/settings.ts";
import { ensureProgram } from "../../stack/system-package.ts";
import { planTarget, type TargetSize } from "./plan-target.ts";
import { createRedisLineWatch } from "./redis-line-watch.ts";
import { setUpQueue } from "./set-up-queue.ts";
import type { Target } from "./target.ts";

export type TargetOptions = Partial<TargetSize> & {
  readonly edge?: StackSettings["SLUICE_EDGE"];
  readonly queue: Pick<QueueSettings, "maxActive" | "admissionRate"> & Partial<QueueSettings>;
  /** Further environment variables for the parts. */
  readonly environment?: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
};

const QUEUE_ID = "venue";
/** A small page that needs no store. */
const PAGE_PATH = "/demo/";

/**
 * The whole product on this machine for one run: in a temporary folder, on free ports, and without the caller's own
 * servers. The edges read the visitor's address from a header, so that one machine can play many visitors.
 */
export async function startTarget(options: TargetOptions): Promise<Target> {
  const { edge = "worker", edges = 1, bridges = 1, signal, say } = options;
  const folder = await mkdtemp(join(tmpdir(), "sluice-load-"));
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    await mkdir(join(folder, "logs"));
    const environment = { ...inherited(), ...options.environment };
    const settings = await freshSettings({ ...environment, SLUICE_EDGE: edge, SLUICE_DATA_DIR: folder });
    await ensureProgram({
      programs: REDIS_PROGRAMS,
      aptPackages: ["redis-server"],
      mayInstall: !settings.SLUICE_NO_INSTALL,
      say,
    });
    const secrets = await loadOrCreateSecrets(folder, systemRandom);
    const plan = await planTarget({ settings, secrets, environment, folder, watch: false }, { edges, bridges });
    const stack = await runStack(plan.parts, { stopAsked: signal, onReady: () => {} });
    const stop = async () => {
      await stack.stop();
      await remove();
    };
    try {
      const { adminToken } = secrets;
      for (const url of plan.urls) await waitUntilHealthy(url);
      const limits = await setUpQueue({ urls: plan.urls, adminToken, queueId: QUEUE_ID, queue: options.queue });
      const watch = createRedisLineWatch({ redisUrl: plan.lineUrl, queueId: QUEUE_ID });
      return {
        what: `its own stack (${edges} × ${edge === "worker" ? "workerd" : "Node"})`,
        urls: plan.urls,
        queueId: QUEUE_ID,
        path: PAGE_PATH,
        limits,
        watch,
        own: {
          ...plan,
          folder,
          stack,
          secrets,
          adminToken,
          originUrl: `http://127.0.0.1:${settings.SLUICE_ORIGIN_PORT}`,
        },
        stop: async () => {
          watch.stop();
          await stop();
        },
      };
    } catch (error) {
      await stop();
      throw error;
    }
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The part of the caller's environment that names programs and Node's options, but no server. */
const INHERITED = [
  "PATH",
  "HOME",
  "TMPDIR",
  "LANG",
  "NODE_COMPILE_CACHE",
  "NODE_OPTIONS",
  "SLUICE_NO_INSTALL",
] as const;

function inherited(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

async function freshSettings(environment: NodeJS.ProcessEnv): Promise<StackSettings> {
  const parsed = parseStackSettings({
    ...environment,
    CLIENT_ADDRESS_FROM: "cloudflare",
    SLUICE_PORT: String(await freePort()),
    SLUICE_ORIGIN_PORT: String(await freePort()),
    SLUICE_BRIDGE_PORT: String(await freePort()),
  });
  assert(parsed.ok, "the settings of a target are valid");
  return parsed.value;
}
