import type { QueueId } from "../../shared/queue-id.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { OPEN_SESSION_ID, type Pass, type Ticket } from "../../shared/tokens/admission.ts";
import { type Keyring, parseKeyring } from "../../shared/tokens/keyring.ts";
import { createTokenVerifier, type Expected } from "../../shared/tokens/token-verifier.ts";
import { type KindRules, type TokenRefusal, verifyToken } from "../../shared/tokens/verify-token.ts";
import { type Challenge, challengeRules } from "./challenge.ts";
import { type Invite, inviteRules } from "./invite.ts";
import {
  type ChallengeFacts,
  type InviteFacts,
  type PassFacts,
  signChallenge,
  signInvite,
  signPass,
  signTicket,
  type TicketFacts,
  type WriteToken,
  writeWithJose,
} from "./sign-token.ts";

/**
 * Tickets, passes and invites at the edge: signed with the active key, verified with all keys. Needs no store, so
 * passes are accepted while the store is unavailable.
 */
export type Tokens = {
  readonly keyring: Keyring;
  readonly signTicket: (facts: TicketFacts) => Promise<string>;
  readonly signPass: (facts: PassFacts) => Promise<string>;
  readonly signInvite: (facts: InviteFacts) => Promise<string>;
  readonly signChallenge: (facts: ChallengeFacts) => Promise<string>;
  readonly readTicket: (token: string, at: ReadAt) => ReadToken<Ticket>;
  readonly readPass: (token: string, at: ReadAt) => ReadToken<Pass>;
  /** The pass says itself which queue it is of. */
  readonly readPassOfAnyQueue: (token: string, at: Pick<ReadAt, "nowMs">) => ReadToken<Pass>;
  /** Invites and challenges are not cached: after its join the visitor has a ticket. */
  readonly readInvite: (token: string, at: ReadAt) => Promise<Result<Invite, TokenRefusal>>;
  readonly readChallenge: (token: string, at: ReadAt) => Promise<Result<Challenge, TokenRefusal>>;
};

type ReadAt = { readonly queueId: QueueId; readonly nowMs: number };

/** At once for a token seen before. */
export type ReadToken<Content> = Result<Content, TokenRefusal> | Promise<Result<Content, TokenRefusal>>;

type TokensOptions = {
  readonly keyring: Keyring;
  readonly issuer: string;
  readonly writeToken?: WriteToken | undefined;
  readonly rememberedMax?: number;
};

export function createTokens({ keyring, issuer, writeToken = writeWithJose, ...bounds }: TokensOptions): Tokens {
  const keys = { find: (kid: string) => found(keyring, kid) };
  const verifier = createTokenVerifier({ issuer, keys, ...bounds });
  const signer = { keyring, issuer, writeToken };

  function readPass(token: string, expected: Expected): ReadToken<Pass> {
    const pass = verifier.pass(token, expected);
    return pass instanceof Promise ? pass.then(withoutOpen) : withoutOpen(pass);
  }

  async function readOnce<Claims extends { iat: number; exp: number }, Content>(
    rules: KindRules<Claims, Content>,
    token: string,
    { queueId, nowMs }: ReadAt,
  ): Promise<Result<Content, TokenRefusal>> {
    const verified = await verifyToken(rules, token, { issuer, keys, queueIds: [queueId], nowMs });
    return verified.ok ? ok(verified.value.content) : verified;
  }

  return {
    keyring,
    signTicket: (facts) => signTicket(signer, facts),
    signPass: (facts) => signPass(signer, facts),
    signInvite: (facts) => signInvite(signer, facts),
    signChallenge: (facts) => signChallenge(signer, facts),
    readTicket: (token, { queueId, nowMs }) => verifier.ticket(token, { queueIds: [queueId], nowMs }),
    readPass: (token, { queueId, nowMs }) => readPass(token, { queueIds: [queueId], nowMs }),
    readPassOfAnyQueue: (token, { nowMs }) => readPass(token, { queueIds: "any", nowMs }),
    readInvite: (token, at) => readOnce(inviteRules, token, at),
    readChallenge: (token, at) => readOnce(challengeRules, token, at),
  };
}

/** Only the edge itself uses open passes, towards the origin: one that comes in from outside has leaked. */
function withoutOpen(pass: Result<Pass, TokenRefusal>): Result<Pass, TokenRefusal> {
  return pass.ok && pass.value.sessionId === OPEN_SESSION_ID ? fail("claims_malformed") : pass;
}

let isolateTokens: { readonly keys: string; readonly issuer: string; readonly tokens: Tokens } | undefined;

/**
 * The tokens of this isolate: keys are imported and verified tokens remembered once, not per request. Only the finished
 * value is kept, never the promise: a request must not wait for work that another request began and may take down with
 * it.
 */
export async function tokensOfIsolate(settings: {
  readonly keys: string;
  readonly issuer: string;
  readonly writeToken?: WriteToken | undefined;
}): Promise<Result<Tokens, readonly string[]>> {
  if (isolateTokens?.keys === settings.keys && isolateTokens.issuer === settings.issuer)
    return ok(isolateTokens.tokens);
  const keyring = await parseKeyring(settings.keys);
  if (!keyring.ok) return keyring;
  const tokens = createTokens({ keyring: keyring.value, issuer: settings.issuer, writeToken: settings.writeToken });
  isolateTokens = { ...settings, tokens };
  return ok(tokens);
}

function found(keyring: Keyring, kid: string) {
  const key = keyring.publicKeys.get(kid);
  return key === undefined ? fail("key_unknown") : ok(key);
}
