import { setTimeout as sleep } from "node:timers/promises";
import { describeDown, healthReportSchema } from "../../shared/health.ts";
import { type Child, describeExit } from "./child.ts";
import { createPatience } from "./patience.ts";

type Readiness = {
  readonly child: Child;
  /** Resolves to true once the part answers, and to what it is doing while it says so. May throw while it does not answer at all. */
  readonly probe: () => Promise<boolean | string>;
  /** How long nothing may move. */
  readonly stillMsMax?: number;
  readonly onProgress?: ((progress: string) => void) | undefined;
};

const PROBE_EVERY_MS = 20;
/** Many times what a part needs for one step: only one that hangs is given up, not one that has much to load. */
const STILL_MS_MAX = 60_000;

/** Returns when the part answers; throws with the part's own words when it ends first, refuses to serve, or does not move. */
export async function waitUntilReady({ child, probe, stillMsMax = STILL_MS_MAX, onProgress }: Readiness): Promise<void> {
  const patience = createPatience(stillMsMax);
  for (;;) {
    if (child.hasExited()) throw new Error(describeExit(child.name, await child.exited));
    const answer = await answers(probe);
    if (answer === true) return;
    if (answer instanceof Refusal) {
      await child.stop();
      throw new Error(`${child.name} refuses to serve. ${answer.message}`);
    }
    if (typeof answer === "string" && patience.hear(answer)) onProgress?.(answer);
    if (patience.isOver()) break;
    await sleep(PROBE_EVERY_MS);
  }
  await child.stop();
  const last = patience.last() === "" ? "" : ` Its last words: ${patience.last()}`;
  const exit = describeExit(child.name, await child.exited);
  throw new Error(`${child.name} did not get ready, and nothing has moved for ${stillMsMax / 1000} s.${last} ${exit}`);
}

async function answers(probe: Readiness["probe"]): Promise<boolean | string | Refusal> {
  try {
    return await probe();
  } catch (error) {
    // Anything else: not listening yet. The loop asks again while there is patience.
    return error instanceof Refusal ? error : false;
  }
}

/** A part that is there and says why nobody should wait for it. */
class Refusal extends Error {
  override readonly name = "Refusal";
}

/** Asks a health route; what is down says what it is doing. Throws when something behind it will not serve, however long one waits. */
export async function answersOk(url: string): Promise<boolean | string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(1_000) });
  const { data: report } = healthReportSchema.safeParse(await response.json());
  const refusing = report?.parts.find(({ refuses }) => refuses);
  if (refusing !== undefined) throw new Refusal(refusing.detail ?? `It is ${refusing.name}.`);
  return response.ok || (report === undefined ? false : describeDown(report));
}
