import { generateKeyPair } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { forgedPasses, forgedTickets } from "../../kit/forged-tokens.ts";
import {
  createTokenForge,
  ISSUER,
  OTHER_QUEUE,
  TOKEN_ID,
  type TokenForge,
  VENUE,
  VISITOR_ID,
} from "../../kit/token-forge.ts";
import { fail, ok } from "../result.ts";
import { importTokenKey, publicTokenKeySchema } from "./token-keys.ts";
import { type TokenKeys, type Verification, verifyPass, verifyTicket } from "./verify-token.ts";

const NOW_SECONDS = 1_790_000_000;

let pass: TokenForge;
let ticket: TokenForge;
let verification: Verification;

beforeAll(async () => {
  pass = await createTokenForge({ kind: "pass", nowSeconds: NOW_SECONDS });
  ticket = await createTokenForge({ kind: "ticket", nowSeconds: NOW_SECONDS, jwk: pass.jwk });
  const key = await importTokenKey(publicTokenKeySchema.parse(pass.jwk));
  const keys: TokenKeys = { find: (kid) => (kid === pass.jwk.kid ? ok(key) : fail("key_unknown")) };
  verification = { issuer: ISSUER, keys, queueIds: [VENUE], nowMs: NOW_SECONDS * 1000 };
});

describe("verifyPass", () => {
  it("returns the claims of a valid pass", async () => {
    expect(await verifyPass(await pass.token(), verification)).toMatchObject({
      ok: true,
      value: {
        kid: pass.jwk.kid,
        content: {
          queueId: VENUE,
          sessionId: VISITOR_ID,
          jti: TOKEN_ID,
          issuedAtSeconds: NOW_SECONDS,
          expiresAtSeconds: NOW_SECONDS + 3_600,
        },
      },
    });
  });

  it.each(forgedPasses)("refuses %s: %s", async (_name, reason, forge) => {
    expect(await verifyPass(await forge(pass), verification)).toEqual({ ok: false, reason });
  });

  it("refuses a ticket", async () => {
    expect(await verifyPass(await ticket.token(), verification)).toEqual({ ok: false, reason: "type_refused" });
  });

  it("takes a pass of any queue only where any queue is accepted", async () => {
    const token = await pass.token({ claims: { aud: `sluice:pass:${OTHER_QUEUE}` } });
    expect(await verifyPass(token, { ...verification, queueIds: "any" })).toMatchObject({
      ok: true,
      value: { content: { queueId: OTHER_QUEUE } },
    });
    expect((await verifyPass(token, { ...verification, queueIds: [OTHER_QUEUE, VENUE] })).ok).toBe(true);
    expect((await verifyPass(token, { ...verification, queueIds: [] })).ok).toBe(false);
  });

  it.each(["sluice:pass:", "sluice:pass:{venue}", "sluice:pass:Venue", "sluice:pass:a:b", "sluice:ticket:venue"])(
    "refuses the audience %s even where any queue is accepted",
    async (aud) => {
      const token = await pass.token({ claims: { aud } });
      expect(await verifyPass(token, { ...verification, queueIds: "any" })).toEqual({
        ok: false,
        reason: "audience_wrong",
      });
    },
  );

  it("tolerates clocks that differ by five seconds, in both directions, and not six", async () => {
    const token = await pass.token();
    const at = (seconds: number) => verifyPass(token, { ...verification, nowMs: seconds * 1000 });
    expect((await at(NOW_SECONDS - 5)).ok).toBe(true);
    expect(await at(NOW_SECONDS - 6)).toEqual({ ok: false, reason: "not_yet_valid" });
    expect((await at(NOW_SECONDS + 3_600 + 4)).ok).toBe(true);
    expect(await at(NOW_SECONDS + 3_600 + 5)).toEqual({ ok: false, reason: "expired" });
  });

  it("refuses everything while the time is not a number", async () => {
    expect((await verifyPass(await pass.token(), { ...verification, nowMs: Number.NaN })).ok).toBe(false);
  });

  it("has its own reason when the keys are unavailable", async () => {
    const keys: TokenKeys = { find: async () => fail("keys_unavailable") };
    expect(await verifyPass(await pass.token(), { ...verification, keys })).toEqual({
      ok: false,
      reason: "keys_unavailable",
    });
  });

  it("refuses instead of throwing when the keys hold one of another kind", async () => {
    const { publicKey } = await generateKeyPair("ES256");
    const keys: TokenKeys = { find: () => ok(publicKey) };
    expect(await verifyPass(await pass.token(), { ...verification, keys })).toEqual({
      ok: false,
      reason: "unreadable",
    });
  });

  it("accepts a claim that it does not know yet", async () => {
    expect((await verifyPass(await pass.token({ claims: { seat: "12" } }), verification)).ok).toBe(true);
  });
});

describe("verifyTicket", () => {
  it("returns the claims of a valid ticket", async () => {
    expect(await verifyTicket(await ticket.token({ claims: { order: -7, lane: 3 } }), verification)).toMatchObject({
      ok: true,
      value: {
        content: { queueId: VENUE, ticketId: VISITOR_ID, order: -7, lane: 3, expiresAtSeconds: NOW_SECONDS + 3_600 },
      },
    });
  });

  it.each(forgedTickets)("refuses %s: %s", async (_name, reason, forge) => {
    expect(await verifyTicket(await forge(ticket), verification)).toEqual({ ok: false, reason });
  });

  it("refuses a pass", async () => {
    expect(await verifyTicket(await pass.token(), verification)).toEqual({ ok: false, reason: "type_refused" });
  });
});
