import { expect, it } from "vitest";
import { createTokenWriter } from "../../edge/node/write-token.ts";
import { createTokens } from "../../edge/tokens/tokens.ts";
import { ISSUER, VENUE, VISITOR_ID } from "../../kit/token-forge.ts";
import { parseKeyring } from "../../shared/tokens/keyring.ts";
import { newTokenKey } from "../../shared/tokens/new-token-key.ts";

const NOW_MS = 1_790_000_000_000;

it("signs the very tokens that jose signs", async () => {
  const keys = JSON.stringify({ active: "k", keys: [await newTokenKey("old"), await newTokenKey("k")] });
  const keyring = await parseKeyring(keys);
  if (!keyring.ok) throw new Error(keyring.reason.join("; "));
  const ticket = {
    queueId: VENUE,
    ticketId: VISITOR_ID,
    order: 41,
    lane: 2,
    metadata: '{"name":"Zoë ☂"}',
    nowMs: NOW_MS,
    expiresAtMs: NOW_MS + 60_000,
  } as const;
  const own = createTokens({ keyring: keyring.value, issuer: ISSUER, writeToken: createTokenWriter(keys) });
  const plain = createTokens({ keyring: keyring.value, issuer: ISSUER });
  const token = await own.signTicket(ticket);
  expect(token).toBe(await plain.signTicket(ticket));
  expect(await plain.readTicket(token, { queueId: VENUE, nowMs: NOW_MS })).toMatchObject({
    ok: true,
    value: { metadata: ticket.metadata },
  });
});
