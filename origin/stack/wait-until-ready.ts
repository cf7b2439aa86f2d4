import { setTimeout as sleep } from "node:timers/promises";
import { healthReportSchema } from "../../shared/health.ts";
import { type Child, describeExit } from "./child.ts";

type Readiness = {
  readonly child: Child;
  /** Resolves to true once the part answers. May throw while it does not. */
  readonly probe: () => Promise<boolean>;
  readonly withinMs?: number;
};

const PROBE_EVERY_MS = 20;
/** Many times what a part needs: only one that hangs is given up, not one on a machine that has much to do. */
const READY_WITHIN_MS = 60_000;

/** Returns when the part answers; throws with the part's own words when it ends first, refuses to serve, or stays silent. */
export async function waitUntilReady({ child, probe, withinMs = READY_WITHIN_MS }: Readiness): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline) {
    if (child.hasExited()) throw new Error(describeExit(child.name, await child.exited));
    const answer = await answers(probe);
    if (answer === true) return;
    if (answer instanceof Refusal) {
      await child.stop();
      throw new Error(`${child.name} refuses to serve. ${answer.message}`);
    }
    await sleep(PROBE_EVERY_MS);
  }
  await child.stop();
  throw new Error(`${child.name} did not get ready within ${withinMs / 1000} s. ${describeExit(child.name, await child.exited)}`);
}

async function answers(probe: () => Promise<boolean>): Promise<boolean | Refusal> {
  try {
    return await probe();
  } catch (error) {
    // Anything else: not listening yet, or still loading. The loop asks again until the deadline.
    return error instanceof Refusal ? error : false;
  }
}

/** A part that is there and says why nobody should wait for it. */
class Refusal extends Error {
  override readonly name = "Refusal";
}

/** Asks a health route. Throws when something behind it will not serve, however long one waits. */
export async function answersOk(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(1_000) });
  const report = healthReportSchema.safeParse(await response.json());
  const refusing = report.data?.parts.find(({ refuses }) => refuses);
  if (refusing !== undefined) throw new Refusal(refusing.detail ?? `It is ${refusing.name}.`);
  return response.ok;
}
