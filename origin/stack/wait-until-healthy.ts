import { setTimeout as sleep } from "node:timers/promises";
import { describeDown, type HealthReport, healthReportSchema } from "../../shared/health.ts";
import { createPatience } from "./patience.ts";

/** How long nothing may move. */
const STILL_MS_MAX = 15_000;
/** Below the limits of the gate, for anybody and for operators. */
const ASK_EVERY_MS = 60;
const ANSWER_WITHIN_MS = 2_000;

/**
 * Asks the front door until every part behind it answers. Throws with the names of those that do not, and with an operator's token the reasons, once
 * nothing has moved for a while; without a token nobody sees a part move.
 */
export async function waitUntilHealthy(edgeUrl: string, stillMsMax = STILL_MS_MAX, adminToken?: string): Promise<void> {
  const patience = createPatience(stillMsMax);
  for (;;) {
    const report = await askHealth(edgeUrl, adminToken);
    if (report?.status === "ok") return;
    patience.hear(report === undefined ? "" : describeDown(report));
    if (patience.isOver()) break;
    await sleep(ASK_EVERY_MS);
  }
  throw new Error(`Not every part answers, and nothing has moved for ${stillMsMax / 1000} s: ${patience.last() || "no health report."}`);
}

async function askHealth(edgeUrl: string, adminToken: string | undefined): Promise<HealthReport | undefined> {
  const headers: Record<string, string> = adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` };
  try {
    const response = await fetch(`${edgeUrl}/_sluice/health`, { headers, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    return healthReportSchema.safeParse(await response.json()).data;
  } catch {
    // Nothing usable yet; the caller asks again while it has patience.
    return undefined;
  }
}
