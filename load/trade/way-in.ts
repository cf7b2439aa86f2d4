import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { createTokens } from "../../edge/tokens/tokens.ts";
import { assert } from "../../shared/assert.ts";
import type { Clock } from "../../shared/clock.ts";
import { newId, systemRandom } from "../../shared/ids.ts";
import { queueIdSchema } from "../../shared/queue-id.ts";
import { DEFAULT_ISSUER, PASS_HEADER, tokenCookieName } from "../../shared/tokens/admission.ts";
import { parseKeyring } from "../../shared/tokens/keyring.ts";
import type { OwnStack, Target } from "../target/target.ts";

/** How a trader reaches the venue: the URL and the headers, with the pass. */
export type WayIn = { readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** Longer than any run. */
const PASS_MS = 3_600_000;

/** Past the gate, with a pass signed with the gate's key, which only the run's own stack reveals. */
export async function directWay(
  { originUrl, secrets }: OwnStack,
  { queueId, address, clock }: { readonly queueId: string; readonly address: string; readonly clock: Clock },
): Promise<WayIn> {
  const keyring = await parseKeyring(JSON.stringify(secrets.signingKeys));
  assert(keyring.ok, "a running stack has valid keys");
  const nowMs = clock.nowMs();
  const ids = { sessionId: newId(systemRandom), jti: newId(systemRandom) };
  const tokens = createTokens({ keyring: keyring.value, issuer: DEFAULT_ISSUER });
  const pass = await tokens.signPass({
    queueId: queueIdSchema.parse(queueId),
    ...ids,
    nowMs,
    expiresAtMs: nowMs + PASS_MS,
  });
  return { url: originUrl, headers: { [PASS_HEADER]: pass, "x-forwarded-for": address } };
}

const turnSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("waiting"), ticket: z.string(), pollAfterMs: z.number() }),
  z.object({ state: z.literal("prequeue"), pollAfterMs: z.number() }),
  z.object({ state: z.literal("admitted"), pass: z.string() }),
]);

const ANSWER_MS_MAX = 10_000;
const ADMITTED_WITHIN_MS = 120_000;
const RETRY_MS = 500;
const FIRST_PAGE = "/api/v1/market/pairs";

type Entering = { readonly address: string; readonly url: string; readonly signal: AbortSignal };

/** Waits in line like any visitor. Throws if it is not admitted in time. */
export async function gateWay(
  { queueId }: Pick<Target, "queueId">,
  { url, address, signal }: Entering,
): Promise<WayIn> {
  const deadlineMs = performance.now() + ADMITTED_WITHIN_MS;
  const cookieName = tokenCookieName("pass", queueIdSchema.parse(queueId), { secure: url.startsWith("https:") });
  let ticket = "";
  while (performance.now() < deadlineMs && !signal.aborted) {
    const turn = await ask({
      url: `${url}/_sluice/queues/${queueId}/${ticket === "" ? "enter" : "heartbeat"}`,
      address,
      ticket,
    });
    if (turn?.state === "admitted") {
      const pass = await presentPass({ url, cookieName, pass: turn.pass, address });
      return { url, headers: { cookie: `${cookieName}=${pass}`, "cf-connecting-ip": address } };
    }
    if (turn?.state === "waiting") ticket = turn.ticket;
    await sleep(turn?.pollAfterMs ?? RETRY_MS, undefined, { signal }).catch(() => {});
  }
  throw new Error(
    signal.aborted ? "stopped before the traders were admitted" : "the gate did not admit a trader within two minutes",
  );
}

type Presented = { readonly url: string; readonly cookieName: string; readonly pass: string; readonly address: string };

/** An unclaimed pass is valid for seconds; the answer to its first use has the pass for the whole session. */
async function presentPass({ url, cookieName, pass, address }: Presented): Promise<string> {
  const response = await fetch(`${url}${FIRST_PAGE}`, {
    headers: { accept: "application/json", cookie: `${cookieName}=${pass}`, "cf-connecting-ip": address },
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });
  await response.arrayBuffer();
  const renewed = response.headers.getSetCookie().find((line) => line.startsWith(`${cookieName}=`));
  return renewed?.slice(cookieName.length + 1).split(";", 1)[0] || pass;
}

/** Undefined without an answer about the turn. */
async function ask({
  url,
  address,
  ticket,
}: {
  readonly url: string;
  readonly address: string;
  readonly ticket: string;
}) {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        accept: "application/json",
        "cf-connecting-ip": address,
        ...(ticket === "" ? {} : { authorization: `Bearer ${ticket}` }),
      },
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
    return turnSchema.safeParse(await response.json()).data;
  } catch {
    return undefined;
  }
}
