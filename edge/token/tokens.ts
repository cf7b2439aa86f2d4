import { OPEN_SESSION_ID, type Pass, type Ticket } from "../../shared/admission.ts";
import type { QueueId } from "../../shared/queue-id.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { createTokenVerifier } from "../../shared/token-verifier.ts";
import type { TokenRefusal } from "../../shared/verify-token.ts";
import { type Keyring, parseKeyring } from "./keyring.ts";
import { type PassFacts, signPass, signTicket, type TicketFacts } from "./sign-token.ts";

/**
 * Tickets and passes at the edge: signed with the active key, read with all of them. Needs no store, so that whoever holds a
 * pass is served while the store is down.
 */
export type Tokens = {
  readonly keyring: Keyring;
  readonly signTicket: (facts: TicketFacts) => Promise<string>;
  readonly signPass: (facts: PassFacts) => Promise<string>;
  readonly readTicket: (token: string, at: ReadAt) => ReadToken<Ticket>;
  readonly readPass: (token: string, at: ReadAt) => ReadToken<Pass>;
};

type ReadAt = { readonly queueId: QueueId; readonly nowMs: number };

/** At once for a token seen before. */
export type ReadToken<Content> = Result<Content, TokenRefusal> | Promise<Result<Content, TokenRefusal>>;

type TokensOptions = { readonly keyring: Keyring; readonly issuer: string; readonly rememberedMax?: number };

export function createTokens({ keyring, issuer, ...bounds }: TokensOptions): Tokens {
  const keys = { find: (kid: string) => found(keyring, kid) };
  const verifier = createTokenVerifier({ issuer, keys, ...bounds });
  const signer = { keyring, issuer };
  return {
    keyring,
    signTicket: (facts) => signTicket(signer, facts),
    signPass: (facts) => signPass(signer, facts),
    readTicket: (token, { queueId, nowMs }) => verifier.ticket(token, { queueIds: [queueId], nowMs }),
    readPass: (token, { queueId, nowMs }) => {
      const pass = verifier.pass(token, { queueIds: [queueId], nowMs });
      return pass instanceof Promise ? pass.then(withoutOpen) : withoutOpen(pass);
    },
  };
}

/** Only the edge itself uses open passes, towards the origin: one that comes in from outside has leaked. */
function withoutOpen(pass: Result<Pass, TokenRefusal>): Result<Pass, TokenRefusal> {
  return pass.ok && pass.value.sessionId === OPEN_SESSION_ID ? fail("claims_malformed") : pass;
}

let isolateTokens: { readonly keys: string; readonly issuer: string; readonly tokens: Tokens } | undefined;

/**
 * The tokens of this isolate: keys are imported and verified tokens remembered once, not per request. Only the finished value is
 * kept, never the promise: a request must not wait for work that another request began and may take down with it.
 */
export async function tokensOfIsolate(settings: {
  readonly keys: string;
  readonly issuer: string;
}): Promise<Result<Tokens, readonly string[]>> {
  if (isolateTokens?.keys === settings.keys && isolateTokens.issuer === settings.issuer) return ok(isolateTokens.tokens);
  const keyring = await parseKeyring(settings.keys);
  if (!keyring.ok) return keyring;
  const tokens = createTokens({ keyring: keyring.value, issuer: settings.issuer });
  isolateTokens = { ...settings, tokens };
  return ok(tokens);
}

function found(keyring: Keyring, kid: string) {
  const key = keyring.publicKeys.get(kid);
  return key === undefined ? fail("key_unknown") : ok(key);
}
