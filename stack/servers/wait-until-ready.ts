import { setTimeout as sleep } from "node:timers/promises";
import { describeDown, type HealthReport, healthReportSchema } from "../../shared/http/health.ts";
import { type Child, describeExit } from "./child.ts";

type Readiness = {
  readonly child: Child;
  /**
   * Resolves to true once the part is ready, and to its progress report before that. May throw while it does not answer
   * at all.
   */
  readonly probe: () => Promise<boolean | string>;
  /** The longest time without progress. */
  readonly stillMsMax?: number;
  readonly onProgress?: ((progress: string) => void) | undefined;
};

const PROBE_EVERY_MS = 20;
/** Many times what a part needs for one step: only a part that hangs is given up, not one with much data to load. */
const STILL_MS_MAX = 60_000;

/**
 * Returns when the part is ready; throws with the part's last output when it exits, refuses to serve, or makes no
 * progress.
 */
export async function waitUntilReady({
  child,
  probe,
  stillMsMax = STILL_MS_MAX,
  onProgress,
}: Readiness): Promise<void> {
  const patience = createPatience(stillMsMax);
  for (;;) {
    if (child.hasExited()) throw new Error(describeExit(child.name, await child.exited));
    const answer = await answers(probe);
    if (answer === true) return;
    if (answer instanceof Refusal) {
      await child.stop();
      throw new Error(`${child.name} refuses to serve. ${answer.message}`);
    }
    if (typeof answer === "string" && patience.note(answer)) onProgress?.(answer);
    if (patience.isOver()) break;
    await sleep(PROBE_EVERY_MS);
  }
  await child.stop();
  const last = patience.last() === "" ? "" : ` Its last report: ${patience.last()}`;
  const exit = describeExit(child.name, await child.exited);
  throw new Error(`${child.name} did not become ready: no progress for ${stillMsMax / 1000} s.${last} ${exit}`);
}

async function answers(probe: Readiness["probe"]): Promise<boolean | string | Refusal> {
  try {
    return await probe();
  } catch (error) {
    // Anything else: not listening yet. The loop asks again.
    return error instanceof Refusal ? error : false;
  }
}

/** A part that answers that it will not become ready. */
class Refusal extends Error {
  override readonly name = "Refusal";
}

/**
 * Asks a health route; the answer is true or a progress report. Throws when a part behind it will never become ready.
 */
export async function answersOk(url: string): Promise<boolean | string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(1_000) });
  const { data: report } = healthReportSchema.safeParse(await response.json());
  const refusing = report?.parts.find(({ refuses }) => refuses);
  if (refusing !== undefined) throw new Refusal(refusing.detail ?? `It is ${refusing.name}.`);
  return response.ok || (report === undefined ? false : describeDown(report));
}

/** The longest time without progress. */
const UNHEALTHY_STILL_MS_MAX = 15_000;
/** Below the gate's rate limits for visitors and operators. */
const ASK_EVERY_MS = 60;
const ANSWER_WITHIN_MS = 2_000;

/**
 * Polls the edge's health until every part answers. Throws with the names of those that do not, once there was no
 * progress for a while. Reasons and progress are visible only with an operator token.
 */
export async function waitUntilHealthy(
  edgeUrl: string,
  stillMsMax = UNHEALTHY_STILL_MS_MAX,
  adminToken?: string,
): Promise<void> {
  const patience = createPatience(stillMsMax);
  for (;;) {
    const report = await askHealth(edgeUrl, adminToken);
    if (report?.status === "ok") return;
    patience.note(report === undefined ? "" : describeDown(report));
    if (patience.isOver()) break;
    await sleep(ASK_EVERY_MS);
  }
  throw new Error(
    `Not every part is healthy, and there was no progress for ${stillMsMax / 1000} s: ${patience.last() || "no health report."}`,
  );
}

async function askHealth(edgeUrl: string, adminToken: string | undefined): Promise<HealthReport | undefined> {
  const headers: Record<string, string> = adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` };
  try {
    const response = await fetch(`${edgeUrl}/_sluice/health`, {
      headers,
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    return healthReportSchema.safeParse(await response.json()).data;
  } catch {
    // No usable answer yet; the caller asks again.
    return undefined;
  }
}

/**
 * Waits for a part by its progress, not by a clock: a start may take an hour while it makes progress; one that hangs is
 * given up. Only new reports count: a part that restarts again and again and reaches the same point each time makes no
 * progress.
 */
type Patience = {
  /** Notes the part's report. True if it is a new one. */
  readonly note: (progress: string) => boolean;
  readonly isOver: () => boolean;
  /** The last report, for the error message. */
  readonly last: () => string;
};

export function createPatience(stillMsMax: number, nowMs: () => number = () => performance.now()): Patience {
  const said = new Set<string>();
  let last = "";
  let movedAtMs = nowMs();
  return {
    note(progress) {
      last = progress;
      if (progress === "" || said.has(progress)) return false;
      said.add(progress);
      movedAtMs = nowMs();
      return true;
    },
    isOver: () => nowMs() - movedAtMs >= stillMsMax,
    last: () => last,
  };
}
