import { z } from "zod";
import { askControl } from "../../origin/operators/ask-control.ts";
import { systemClock } from "../../shared/clock.ts";
import { newSecret, systemRandom } from "../../shared/ids.ts";
import type { OwnStack } from "../target/target.ts";
import { directWay } from "../trade/way-in.ts";

/** The venue's metrics, read as an admin. */
export type VenueMetrics = { readonly read: () => Promise<ReadonlyMap<string, number>> };

const signedInSchema = z.object({ accessToken: z.string() });
const ANSWER_MS_MAX = 5_000;
/** Access tokens are valid for 15 minutes. */
const SIGN_IN_EVERY_MS = 10 * 60_000;
const QUEUE_ID = "venue";
const ADDRESS = "198.19.255.254";

export async function openVenueMetrics(own: OwnStack): Promise<VenueMetrics> {
  const account = { username: "soak_admin", password: newSecret(systemRandom) };
  const made = await askControl(own.folder, "/admins", { ...account, email: "soak_admin@load.invalid" });
  if (made === undefined || !("id" in made))
    throw new Error("the venue created no admin account, which its metrics need");
  const { url, headers } = await directWay(own, { queueId: QUEUE_ID, address: ADDRESS, clock: systemClock });
  let token: { readonly text: string; readonly atMs: number } | undefined;

  async function ask(
    path: string,
    init: RequestInit & { readonly headers?: Record<string, string> },
  ): Promise<Response> {
    const signal = AbortSignal.timeout(ANSWER_MS_MAX);
    const response = await fetch(`${url}/api/v1${path}`, { ...init, headers: { ...headers, ...init.headers }, signal });
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
    return response;
  }

  async function signIn(): Promise<string> {
    if (token !== undefined && performance.now() - token.atMs < SIGN_IN_EVERY_MS) return token.text;
    const body = JSON.stringify(account);
    const response = await ask("/auth/login", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    token = { text: signedInSchema.parse(await response.json()).accessToken, atMs: performance.now() };
    return token.text;
  }

  return {
    async read() {
      const response = await ask("/metrics", { headers: { authorization: `Bearer ${await signIn()}` } });
      return new Map(
        [...(await response.text()).matchAll(/^(\w+) (\S+)$/gm)].map(([, name = "", value]) => [name, Number(value)]),
      );
    },
  };
}
