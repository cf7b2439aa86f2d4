import { beforeAll, describe, expect, it } from "vitest";
import { forgedChallenges, forgedInvites, forgedPasses, forgedTickets } from "../../kit/forged-tokens.ts";
import {
  createTokenForge,
  ISSUER,
  OTHER_QUEUE,
  TOKEN_ID,
  type TokenForge,
  VENUE,
  VISITOR_ID,
} from "../../kit/token-forge.ts";
import { PASS_LIFETIME_SECONDS_MAX } from "../../shared/tokens/admission.ts";
import { parseKeyring } from "../../shared/tokens/keyring.ts";
import { newTokenKey } from "../../shared/tokens/new-token-key.ts";
import type { PrivateTokenKey } from "../../shared/tokens/token-keys.ts";
import { createTokens, type Tokens, tokensOfIsolate } from "./tokens.ts";

const NOW_MS = 1_790_000_000_000;
const at = { queueId: VENUE, nowMs: NOW_MS };
const passFacts = { queueId: VENUE, sessionId: VISITOR_ID, jti: TOKEN_ID, nowMs: NOW_MS, expiresAtMs: NOW_MS + 60_000 };
const ticketFacts = {
  queueId: VENUE,
  ticketId: VISITOR_ID,
  order: 41,
  lane: 2,
  nowMs: NOW_MS,
  expiresAtMs: NOW_MS + 60_000,
} as const;

async function tokensWith(active: string, keys: readonly PrivateTokenKey[], rememberedMax = 100): Promise<Tokens> {
  const keyring = await parseKeyring(JSON.stringify({ active, keys }));
  if (!keyring.ok) throw new Error(keyring.reason.join("; "));
  return createTokens({ keyring: keyring.value, issuer: ISSUER, rememberedMax });
}

let oldKey: PrivateTokenKey;
let newKey: PrivateTokenKey;
let tokens: Tokens;
let passForge: TokenForge;
let ticketForge: TokenForge;
let inviteForge: TokenForge;
let challengeForge: TokenForge;

beforeAll(async () => {
  oldKey = await newTokenKey("key-1");
  newKey = await newTokenKey("key-2026");
  tokens = await tokensWith("key-1", [oldKey]);
  passForge = await createTokenForge({ kind: "pass", nowSeconds: NOW_MS / 1000, jwk: oldKey });
  ticketForge = await createTokenForge({ kind: "ticket", nowSeconds: NOW_MS / 1000, jwk: oldKey });
  inviteForge = await createTokenForge({ kind: "invite", nowSeconds: NOW_MS / 1000, jwk: oldKey });
  challengeForge = await createTokenForge({ kind: "challenge", nowSeconds: NOW_MS / 1000, jwk: oldKey });
});

describe("tokens", () => {
  it("reads the pass it signed", async () => {
    expect(await tokens.readPass(await tokens.signPass(passFacts), at)).toEqual({
      ok: true,
      value: {
        queueId: VENUE,
        sessionId: VISITOR_ID,
        jti: TOKEN_ID,
        issuedAtSeconds: NOW_MS / 1000,
        expiresAtSeconds: NOW_MS / 1000 + 60,
      },
    });
  });

  it("reads the scope of a pass, and a pass of any queue", async () => {
    const token = await tokens.signPass({ ...passFacts, scope: ["*/*", "!*/demo/*"] });
    expect(await tokens.readPass(token, at)).toMatchObject({ ok: true, value: { scope: ["*/*", "!*/demo/*"] } });
    expect(await tokens.readPassOfAnyQueue(token, at)).toMatchObject({ ok: true, value: { queueId: VENUE } });
    const leaked = await tokens.signPass({ ...passFacts, sessionId: "open" });
    expect((await tokens.readPassOfAnyQueue(leaked, at)).ok).toBe(false);
  });

  it("reads the ticket it signed", async () => {
    expect(await tokens.readTicket(await tokens.signTicket(ticketFacts), at)).toMatchObject({
      ok: true,
      value: { queueId: VENUE, ticketId: VISITOR_ID, order: 41, lane: 2 },
    });
  });

  it("reads the invite it signed, with and without a person", async () => {
    const facts = {
      queueId: VENUE,
      inviteId: TOKEN_ID,
      lane: 3,
      uses: 5,
      nowMs: NOW_MS,
      expiresAtMs: NOW_MS + 60_000,
    } as const;
    const value = {
      queueId: VENUE,
      inviteId: TOKEN_ID,
      lane: 3,
      uses: 5,
      issuedAtSeconds: NOW_MS / 1000,
      expiresAtSeconds: NOW_MS / 1000 + 60,
    };
    expect(await tokens.readInvite(await tokens.signInvite(facts), at)).toEqual({ ok: true, value });
    const named = await tokens.signInvite({ ...facts, person: VISITOR_ID });
    expect(await tokens.readInvite(named, at)).toEqual({ ok: true, value: { ...value, person: VISITOR_ID } });
    expect(await tokens.readInvite(named, { ...at, queueId: OTHER_QUEUE })).toEqual({
      ok: false,
      reason: "audience_wrong",
    });
    expect((await tokens.readTicket(named, at)).ok || (await tokens.readPass(named, at)).ok).toBe(false);
  });

  it.each(forgedInvites)("refuses as an invite: %s (%s)", async (_name, reason, forge) => {
    expect(await tokens.readInvite(await forge(inviteForge), at)).toEqual({ ok: false, reason });
  });

  it("reads the challenge it signed, with and without an address, until it expires after five minutes", async () => {
    const facts = { queueId: VENUE, challengeId: TOKEN_ID, bits: 16, nowMs: NOW_MS, expiresAtMs: NOW_MS * 2 };
    const value = {
      queueId: VENUE,
      challengeId: TOKEN_ID,
      bits: 16,
      issuedAtSeconds: NOW_MS / 1000,
      expiresAtSeconds: NOW_MS / 1000 + 300,
    };
    expect(await tokens.readChallenge(await tokens.signChallenge(facts), at)).toEqual({ ok: true, value });
    const owned = await tokens.signChallenge({ ...facts, address: VISITOR_ID });
    expect(await tokens.readChallenge(owned, at)).toEqual({ ok: true, value: { ...value, address: VISITOR_ID } });
    expect((await tokens.readInvite(owned, at)).ok).toBe(false);
  });

  it.each(forgedChallenges)("refuses as a challenge: %s (%s)", async (_name, reason, forge) => {
    expect(await tokens.readChallenge(await forge(challengeForge), at)).toEqual({ ok: false, reason });
  });

  it.each(forgedPasses)("refuses as a pass: %s (%s)", async (_name, reason, forge) => {
    expect(await tokens.readPass(await forge(passForge), at)).toEqual({ ok: false, reason });
  });

  it.each(forgedTickets)("refuses as a ticket: %s (%s)", async (_name, reason, forge) => {
    expect(await tokens.readTicket(await forge(ticketForge), at)).toEqual({ ok: false, reason });
  });

  it("refuses a ticket as a pass, a pass as a ticket, and either at another queue", async () => {
    const pass = await tokens.signPass(passFacts);
    const ticket = await tokens.signTicket(ticketFacts);
    expect((await tokens.readPass(ticket, at)).ok).toBe(false);
    expect((await tokens.readTicket(pass, at)).ok).toBe(false);
    expect((await tokens.readPass(pass, { ...at, queueId: OTHER_QUEUE })).ok).toBe(false);
    expect((await tokens.readTicket(ticket, { ...at, queueId: OTHER_QUEUE })).ok).toBe(false);
  });

  it("refuses an open pass that comes in from outside", async () => {
    const leaked = await tokens.signPass({ ...passFacts, sessionId: "open" });
    expect((await tokens.readPass(leaked, at)).ok).toBe(false);
  });

  it("ends a pass at the longest lifetime that both sides accept", async () => {
    const pass = await tokens.readPass(await tokens.signPass({ ...passFacts, expiresAtMs: NOW_MS * 2 }), at);
    expect(pass).toMatchObject({ ok: true, value: { expiresAtSeconds: NOW_MS / 1000 + PASS_LIFETIME_SECONDS_MAX } });
  });

  it("signs nothing that has expired", async () => {
    await expect(tokens.signPass({ ...passFacts, expiresAtMs: NOW_MS })).rejects.toThrow(/at least a second/);
  });
});

describe("rotation", () => {
  it("accepts old tokens while the old key retires, signs with the new one, and drops old tokens with their key", async () => {
    const before = await tokensWith("key-1", [oldKey]);
    const published = await tokensWith("key-1", [oldKey, newKey]);
    const rotated = await tokensWith("key-2026", [newKey, oldKey]);
    const after = await tokensWith("key-2026", [newKey]);
    const oldPass = await before.signPass(passFacts);
    const oldTicket = await before.signTicket(ticketFacts);
    const newPass = await rotated.signPass(passFacts);

    expect(kidOf(oldPass)).toBe("key-1");
    expect(kidOf(newPass)).toBe("key-2026");
    for (const edge of [published, rotated]) {
      expect((await edge.readPass(oldPass, at)).ok).toBe(true);
      expect((await edge.readTicket(oldTicket, at)).ok).toBe(true);
      expect((await edge.readPass(newPass, at)).ok).toBe(true);
    }
    expect(await after.readPass(oldPass, at)).toEqual({ ok: false, reason: "key_unknown" });
    expect((await after.readPass(newPass, at)).ok).toBe(true);
    expect(await before.readPass(newPass, at)).toEqual({ ok: false, reason: "key_unknown" });
  });
});

describe("tokensOfIsolate", () => {
  it("builds the keys once, and again when the setting changes", async () => {
    const settings = { keys: JSON.stringify({ active: "key-1", keys: [oldKey] }), issuer: ISSUER };
    const first = await tokensOfIsolate(settings);
    const again = await tokensOfIsolate({ ...settings });
    const other = await tokensOfIsolate({
      keys: JSON.stringify({ active: "key-2026", keys: [newKey] }),
      issuer: ISSUER,
    });
    expect(first.ok && again.ok && first.value === again.value).toBe(true);
    expect(first.ok && other.ok && first.value === other.value).toBe(false);
  });

  it("reports the faults of the keys", async () => {
    expect(await tokensOfIsolate({ keys: "{}", issuer: ISSUER })).toMatchObject({
      ok: false,
      reason: [expect.any(String), expect.any(String)],
    });
  });
});

function kidOf(token: string): unknown {
  const header = token.slice(0, token.indexOf(".")).replaceAll("-", "+").replaceAll("_", "/");
  return (JSON.parse(atob(header)) as { kid: unknown }).kid;
}
