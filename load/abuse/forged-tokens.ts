import { type ForgedToken, forgedPasses, forgedTickets } from "../../kit/forged-tokens.ts";
import { createTokenForge } from "../../kit/token-forge.ts";
import type { QueueId } from "../../shared/queue-id.ts";
import { tokenAudience } from "../../shared/tokens/admission.ts";
import { newTokenKey } from "../../shared/tokens/new-token-key.ts";
import type { PrivateTokenKey } from "../../shared/tokens/token-keys.ts";
import type { Check } from "../record/run-record.ts";
import { type Attack, type AttackDesk, isKeptOut } from "./attack-desk.ts";

const KINDS = [
  { kind: "pass", forged: forgedPasses, address: "192.0.2.1" },
  { kind: "ticket", forged: forgedTickets, address: "192.0.2.2" },
] as const;

/** Every HTTP client refuses a token that is no valid header value. */
const FITS_A_HEADER = /^[\x21-\x7e]+$/;
/** A token that is not valid yet must stay invalid while it is tried. */
const NOT_YET_SECONDS = 120;

/**
 * Tokens with every kind of fault, signed with the gate's own key where the run has it, so that only the fault itself
 * can be noticed: 401 from the line's routes, and on a page the answer that a visitor without a token gets.
 */
export const forgedTokens: Attack = {
  name: "forged tokens",
  async run(desk) {
    const checks: Check[] = [];
    for (const { kind, forged, address } of KINDS) checks.push(...(await tryAll(desk, { kind, forged, address })));
    return checks;
  },
};

type Tried = { readonly kind: "pass" | "ticket"; readonly forged: readonly ForgedToken[]; readonly address: string };

async function tryAll(desk: AttackDesk, { kind, forged, address }: Tried): Promise<readonly Check[]> {
  const jwk = await signingKey(desk);
  const aud = tokenAudience(kind, desk.target.queueId as QueueId);
  let tried = 0;
  const believed: string[] = [];
  const letPast: string[] = [];
  for (const [name, reason, make] of forged) {
    const nowSeconds = desk.nowSeconds() + (reason === "not_yet_valid" ? NOT_YET_SECONDS : 0);
    const token = await make(await createTokenForge({ kind, nowSeconds, jwk, claims: { aud } }));
    if (!FITS_A_HEADER.test(token)) continue;
    tried++;
    const seen = await show(desk, token, { kind, address });
    believed.push(
      ...seen.statuses.filter((status) => status !== 401).map((status) => `${name}: ${status ?? "no answer"}`),
    );
    if (!seen.isKeptOut) letPast.push(name);
  }
  const shown = `${tried} forged ${kind === "pass" ? "passes" : "tickets"}`;
  return [
    {
      name: `${shown} shown to the line`,
      expected: "401 each time",
      seen: listed(believed, "401 each time"),
      isMet: believed.length === 0,
    },
    {
      name: `${shown} shown to a page`,
      expected: "none is admitted",
      seen: listed(letPast, "none"),
      isMet: letPast.length === 0,
    },
  ];
}

type Shown = { readonly statuses: readonly (number | undefined)[]; readonly isKeptOut: boolean };

async function show(
  desk: AttackDesk,
  token: string,
  { kind, address }: Pick<Tried, "kind" | "address">,
): Promise<Shown> {
  const cookie = `${kind === "pass" ? desk.passCookie : desk.ticketCookie}=${token}`;
  const statuses: (number | undefined)[] = [];
  for (const headers of [{ cookie }, { authorization: `Bearer ${token}` }]) {
    statuses.push((await desk.ask({ method: "POST", path: desk.route("heartbeat"), headers, address })).raw?.status);
  }
  const page = await desk.ask({ path: desk.target.path, headers: { cookie }, address });
  await desk.giveBack(page);
  return { statuses, isKeptOut: isKeptOut(page) };
}

function listed(faults: readonly string[], ifNone: string): string {
  return faults.length === 0 ? ifNone : faults.join(", ");
}

async function signingKey({ target }: AttackDesk): Promise<PrivateTokenKey> {
  const keys = target.own?.secrets.signingKeys;
  return keys?.keys.find(({ kid }) => kid === keys.active) ?? newTokenKey("key-1");
}
