import {
  checkPart,
  type HealthReport,
  healthReport,
  healthReportSchema,
  type PartHealth,
} from "../../../shared/http/health.ts";
import type { ScriptRunner } from "../../../shared/store/define-script.ts";
import { storeHealth } from "../../../shared/store/store-health.ts";

const PART_TIMEOUT_MS = 900;

type PartsToAsk = {
  readonly store: ScriptRunner;
  /** Calls the origin's `/health`. */
  readonly askOrigin: () => Promise<Response>;
};

/** Asks every part at once; the answer comes within a second whatever hangs. */
export async function checkParts({ store, askOrigin }: PartsToAsk): Promise<HealthReport> {
  const [storePart, originParts] = await Promise.all([checkStore(store), checkOrigin(askOrigin)]);
  return healthReport([{ name: "edge", state: "ok" }, storePart, ...originParts]);
}

function checkStore(store: ScriptRunner): Promise<PartHealth> {
  return checkPart({
    name: "store",
    check: () => storeHealth.run(store, { keys: {}, args: {} }),
    withinMs: PART_TIMEOUT_MS,
    failure: "The gate's Redis, or the REST bridge before it, does not answer.",
  });
}

/** The origin speaks for the parts behind it; when it is silent, nothing is known of them. */
async function checkOrigin(askOrigin: () => Promise<Response>): Promise<readonly PartHealth[]> {
  let parts: readonly PartHealth[] = [];
  const origin = await checkPart({
    name: "origin",
    check: async () => {
      const response = await askOrigin();
      parts = healthReportSchema.parse(await response.json()).parts;
    },
    withinMs: PART_TIMEOUT_MS,
    failure: "The application behind the gate does not answer.",
  });
  return origin.state === "ok" ? parts : [origin];
}
