import { setTimeout as sleep } from "node:timers/promises";
import { type HealthReport, healthReportSchema } from "../../shared/health.ts";

const HEALTHY_WITHIN_MS = 15_000;
/** Below the limits of the gate, for anybody and for operators. */
const ASK_EVERY_MS = 60;
const ANSWER_WITHIN_MS = 2_000;

/** Asks the front door until every part behind it answers. Throws with the names of those that do not, and with an operator's token the reasons. */
export async function waitUntilHealthy(edgeUrl: string, withinMs = HEALTHY_WITHIN_MS, adminToken?: string): Promise<void> {
  const deadline = performance.now() + withinMs;
  let last: HealthReport | undefined;
  while (performance.now() < deadline) {
    last = await askHealth(edgeUrl, adminToken);
    if (last?.status === "ok") return;
    await sleep(ASK_EVERY_MS);
  }
  throw new Error(`Not every part answers after ${withinMs / 1000} s: ${describeDown(last)}`);
}

function describeDown(report: HealthReport | undefined): string {
  const down = report?.parts.filter((part) => part.state === "down") ?? [];
  if (down.length === 0) return "the edge gives no health report.";
  return down.map((part) => `${part.name} (${part.detail ?? "down"})`).join(", ");
}

async function askHealth(edgeUrl: string, adminToken: string | undefined): Promise<HealthReport | undefined> {
  const headers: Record<string, string> = adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` };
  try {
    const response = await fetch(`${edgeUrl}/_sluice/health`, { headers, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    return healthReportSchema.safeParse(await response.json()).data;
  } catch {
    // Nothing usable yet; the caller asks again until its deadline.
    return undefined;
  }
}
