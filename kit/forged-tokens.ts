import { CHALLENGE_LIFETIME_SECONDS_MAX } from "../edge/tokens/challenge.ts";
import { INVITE_LIFETIME_SECONDS_MAX } from "../edge/tokens/invite.ts";
import { PASS_LIFETIME_SECONDS_MAX, TICKET_LIFETIME_SECONDS_MAX, tokenAudience } from "../shared/tokens/admission.ts";
import type { TokenRefusal } from "../shared/tokens/verify-token.ts";
import {
  bytesOf,
  encode,
  hmacWith,
  OTHER_QUEUE,
  signWith,
  signWithEs256,
  type TokenForge,
  VENUE,
  withLastCharacterChanged,
} from "./token-forge.ts";

/**
 * Every kind of invalid token, with the reason for the log. The edge, the origin and their shared code are all tested
 * with it.
 */
export type ForgedToken = readonly [
  name: string,
  reason: TokenRefusal,
  forge: (forge: TokenForge) => string | Promise<string>,
];

const withHeader =
  (header: Readonly<Record<string, unknown>>) =>
  ({ token }: TokenForge) =>
    token({ header });

const withClaims =
  (claims: (forge: TokenForge) => Readonly<Record<string, unknown>>) =>
  (forge: TokenForge): Promise<string> =>
    forge.token({ claims: claims(forge) });

const respelled =
  (spell: (token: string) => string) =>
  async ({ token }: TokenForge): Promise<string> =>
    spell(await token());

const LIFETIMES = {
  pass: PASS_LIFETIME_SECONDS_MAX,
  ticket: TICKET_LIFETIME_SECONDS_MAX,
  invite: INVITE_LIFETIME_SECONDS_MAX,
  challenge: CHALLENGE_LIFETIME_SECONDS_MAX,
};
const lifetimeSecondsMax = ({ kind }: TokenForge) => LIFETIMES[kind];
const otherKind = ({ kind }: TokenForge) => (kind === "pass" ? "ticket" : "pass");
const noSignature = async () => new Uint8Array(0);

const algorithms: readonly ForgedToken[] = [
  [
    "alg none without a signature",
    "algorithm_refused",
    ({ token }) => token({ header: { alg: "none" }, sign: noSignature }),
  ],
  [
    "alg None in another case",
    "algorithm_refused",
    ({ token }) => token({ header: { alg: "nOnE" }, sign: noSignature }),
  ],
  ["alg none with a good signature", "algorithm_refused", withHeader({ alg: "none" })],
  ["no alg", "algorithm_refused", withHeader({ alg: undefined })],
  ["alg as a list", "algorithm_refused", withHeader({ alg: ["EdDSA"] })],
  [
    "HS256 signed with the public key's bytes",
    "algorithm_refused",
    ({ token, jwk }) =>
      token({
        header: { alg: "HS256" },
        sign: hmacWith(Uint8Array.from(atob(toBase64(jwk.x)), (c) => c.charCodeAt(0))),
      }),
  ],
  [
    "HS256 signed with the public key's text",
    "algorithm_refused",
    ({ token, jwk }) => token({ header: { alg: "HS256" }, sign: hmacWith(bytesOf(jwk.x)) }),
  ],
  [
    "an HMAC under the name of the right alg",
    "signature_wrong",
    ({ token, jwk }) => token({ sign: hmacWith(bytesOf(jwk.x)) }),
  ],
  [
    "ES256 by a key of its own",
    "algorithm_refused",
    ({ token }) => token({ header: { alg: "ES256" }, sign: signWithEs256 }),
  ],
  ["the same curve under another alg name", "algorithm_refused", withHeader({ alg: "Ed25519" })],
];

const keys: readonly ForgedToken[] = [
  ["another kid", "key_unknown", withHeader({ kid: "key-2" })],
  [
    "our kid with a stranger's signature",
    "signature_wrong",
    ({ token, strangerJwk }) => token({ sign: signWith(strangerJwk) }),
  ],
  ["no kid", "header_refused", withHeader({ kid: undefined })],
  ["a number as kid", "key_unknown", withHeader({ kid: 1 })],
  ["an empty kid", "key_unknown", withHeader({ kid: "" })],
  ["kid as a path", "key_unknown", withHeader({ kid: "../../../dev/null" })],
  ["kid as SQL", "key_unknown", withHeader({ kid: "x' UNION SELECT 'secret' --" })],
  ["kid as a URL", "key_unknown", withHeader({ kid: "https://evil.test/jwks.json" })],
  ["kid as a member of every object", "key_unknown", withHeader({ kid: "constructor" })],
  ["kid as __proto__", "key_unknown", withHeader({ kid: "__proto__" })],
  [
    "its own key in the header",
    "header_refused",
    ({ token, strangerJwk: { d: _d, ...jwk }, strangerJwk }) => token({ header: { jwk }, sign: signWith(strangerJwk) }),
  ],
  ["a jku that leads elsewhere", "header_refused", withHeader({ jku: "https://evil.test/jwks.json" })],
  ["an x5u that leads elsewhere", "header_refused", withHeader({ x5u: "https://evil.test/cert.pem" })],
  ["an unknown critical extension", "header_refused", withHeader({ crit: ["x"], x: 1 })],
  ["an unencoded payload (b64 false)", "header_refused", withHeader({ b64: false, crit: ["b64"] })],
];

const purposes: readonly ForgedToken[] = [
  ["another queue", "audience_wrong", withClaims(({ kind }) => ({ aud: tokenAudience(kind, OTHER_QUEUE) }))],
  [
    "a queue that only begins like ours",
    "audience_wrong",
    withClaims(({ kind }) => ({ aud: `${tokenAudience(kind, VENUE)}2` })),
  ],
  [
    "several audiences, ours among them",
    "audience_wrong",
    withClaims(({ kind }) => ({ aud: [tokenAudience(kind, VENUE), "x"] })),
  ],
  [
    "the other kind's audience",
    "audience_wrong",
    withClaims((forge) => ({ aud: tokenAudience(otherKind(forge), VENUE) })),
  ],
  ["no audience", "claims_malformed", withClaims(() => ({ aud: undefined }))],
  [
    "the other kind's typ",
    "type_refused",
    (forge) => forge.token({ header: { typ: `sluice-${otherKind(forge)}+jwt` } }),
  ],
  ["typ JWT", "type_refused", withHeader({ typ: "JWT" })],
  ["no typ", "type_refused", withHeader({ typ: undefined })],
  ["typ in capitals", "type_refused", (forge) => forge.token({ header: { typ: `SLUICE-${forge.kind}+JWT` } })],
  ["another issuer", "issuer_wrong", withClaims(() => ({ iss: "evil" }))],
  ["no issuer", "claims_malformed", withClaims(() => ({ iss: undefined }))],
];

const times: readonly ForgedToken[] = [
  [
    "expired past the tolerance",
    "expired",
    withClaims(({ nowSeconds }) => ({ iat: nowSeconds - 60, exp: nowSeconds - 5 })),
  ],
  ["not yet valid", "not_yet_valid", withClaims(({ nowSeconds }) => ({ nbf: nowSeconds + 6 }))],
  ["nbf as text", "claims_malformed", withClaims(() => ({ nbf: "0" }))],
  ["no exp", "claims_malformed", withClaims(() => ({ exp: undefined }))],
  ["exp null", "claims_malformed", withClaims(() => ({ exp: null }))],
  ["exp as text", "claims_malformed", withClaims(() => ({ exp: "99999999999" }))],
  ["exp 1e99", "claims_malformed", withClaims(() => ({ exp: 1e99 }))],
  ["exp with a fraction", "claims_malformed", withClaims(({ nowSeconds }) => ({ exp: nowSeconds + 0.5 }))],
  ["exp below zero", "expired", withClaims(() => ({ exp: -1 }))],
  [
    "a lifetime one second past the bound",
    "lifetime_wrong",
    withClaims((f) => ({ exp: f.nowSeconds + lifetimeSecondsMax(f) + 1 })),
  ],
  [
    "an end before its beginning",
    "lifetime_wrong",
    withClaims(({ nowSeconds }) => ({ iat: nowSeconds + 2, exp: nowSeconds + 1 })),
  ],
  ["no iat", "claims_malformed", withClaims(() => ({ iat: undefined }))],
  ["iat as text", "claims_malformed", withClaims(({ nowSeconds }) => ({ iat: String(nowSeconds) }))],
  ["iat in the future", "not_yet_valid", withClaims(({ nowSeconds }) => ({ iat: nowSeconds + 6 }))],
  ["iat 1e99", "not_yet_valid", withClaims(() => ({ iat: 1e99, exp: 1e99 }))],
];

const contents: readonly ForgedToken[] = [
  ["no sub", "claims_malformed", withClaims(() => ({ sub: undefined }))],
  ["a sub that is no id of ours", "claims_malformed", withClaims(() => ({ sub: "admin" }))],
  ["a sub with a newline", "claims_malformed", withClaims(({ claims }) => ({ sub: `${String(claims["sub"])}\n` }))],
  ["a payload that is not JSON", "unreadable", ({ token }) => token({ payloadText: "{" })],
  ["a payload that is a list", "unreadable", ({ token }) => token({ payloadText: "[]" })],
  ["a payload that is empty", "unreadable", ({ token }) => token({ payloadText: "" })],
  [
    "a payload exchanged under the signature",
    "signature_wrong",
    async ({ token, claims }) => {
      const [header, , signature] = (await token()).split(".");
      return `${header}.${encode(JSON.stringify({ ...claims, sub: "CCCCCCCCCCCCCCCCCCCCCC" }))}.${signature}`;
    },
  ],
  ["a signature of zeros", "signature_wrong", ({ token }) => token({ sign: async () => new Uint8Array(64) })],
  ["no signature", "signature_wrong", ({ token }) => token({ sign: noSignature })],
];

const spellings: readonly ForgedToken[] = [
  ["its last character changed", "not_canonical", respelled(withLastCharacterChanged)],
  ["a trailing space", "not_canonical", respelled((token) => `${token} `)],
  ["a leading space", "not_canonical", respelled((token) => ` ${token}`)],
  ["a trailing newline", "not_canonical", respelled((token) => `${token}\n`)],
  ["padding", "not_canonical", respelled((token) => `${token}==`)],
  ["quotes around it", "not_canonical", respelled((token) => `"${token}"`)],
  ["a fourth part", "not_canonical", respelled((token) => `${token}.e30`)],
  ["only two parts", "not_canonical", respelled((token) => token.slice(0, token.lastIndexOf(".")))],
  ["the token twice", "not_canonical", respelled((token) => `${token}, ${token}`)],
  ["other scripts' letters", "not_canonical", respelled((token) => `е${token.slice(1)}`)],
  ["nothing but dots", "unreadable", () => ".."],
  ["plain text", "not_canonical", () => "admin"],
  [
    "a header that is not JSON",
    "unreadable",
    respelled((token) => `${encode("no json")}${token.slice(token.indexOf("."))}`),
  ],
  ["2 KiB and more, though well signed", "too_long", withClaims(() => ({ padding: "x".repeat(2_000) }))],
  ["8 kB", "too_long", withClaims(() => ({ padding: "x".repeat(6_000) }))],
];

const forgedTokens: readonly ForgedToken[] = [...algorithms, ...keys, ...purposes, ...times, ...contents, ...spellings];

export const forgedPasses: readonly ForgedToken[] = [
  ...forgedTokens,
  ["no jti", "claims_malformed", withClaims(() => ({ jti: undefined }))],
  ["a jti that is no id of ours", "claims_malformed", withClaims(() => ({ jti: "1" }))],
  ["a scope that is no list", "claims_malformed", withClaims(() => ({ scope: "*/*" }))],
  ["a scope of nothing", "claims_malformed", withClaims(() => ({ scope: [] }))],
  ["a scope with something else in it", "claims_malformed", withClaims(() => ({ scope: ["*/*", 1] }))],
  [
    "a scope with an address that is no pattern",
    "claims_malformed",
    withClaims(() => ({ scope: ["http://shop.test/*"] })),
  ],
  [
    "a scope written under another's signature",
    "signature_wrong",
    async ({ token, claims }) => {
      const [header, , signature] = (await token({ claims: { scope: ["*/demo/*"] } })).split(".");
      return `${header}.${encode(JSON.stringify({ ...claims, scope: ["*/*"] }))}.${signature}`;
    },
  ],
];

export const forgedTickets: readonly ForgedToken[] = [
  ...forgedTokens,
  ["no place in the line", "claims_malformed", withClaims(() => ({ order: undefined }))],
  ["a place with a fraction", "claims_malformed", withClaims(() => ({ order: 0.5 }))],
  ["a place past what a number can hold", "claims_malformed", withClaims(() => ({ order: 2 ** 53 }))],
  ["a lane that does not exist", "claims_malformed", withClaims(() => ({ lane: 4 }))],
  ["a lane as text", "claims_malformed", withClaims(() => ({ lane: "3" }))],
  ["the session of open passes", "claims_malformed", withClaims(() => ({ sub: "open" }))],
];

export const forgedInvites: readonly ForgedToken[] = [
  ...forgedTokens,
  ["a lane that does not exist", "claims_malformed", withClaims(() => ({ lane: 4 }))],
  ["a lane as text", "claims_malformed", withClaims(() => ({ lane: "3" }))],
  ["no uses", "claims_malformed", withClaims(() => ({ uses: undefined }))],
  ["0 uses", "claims_malformed", withClaims(() => ({ uses: 0 }))],
  ["uses below zero", "claims_malformed", withClaims(() => ({ uses: -1 }))],
  ["more uses than there may be", "claims_malformed", withClaims(() => ({ uses: 1e9 }))],
  ["half a use", "claims_malformed", withClaims(() => ({ uses: 1.5 }))],
  ["a person that is no hash of ours", "claims_malformed", withClaims(() => ({ person: "}:meta" }))],
];

export const forgedChallenges: readonly ForgedToken[] = [
  ...forgedTokens,
  ["no work", "claims_malformed", withClaims(() => ({ bits: 0 }))],
  ["next to no work", "claims_malformed", withClaims(() => ({ bits: 7 }))],
  ["work below zero", "claims_malformed", withClaims(() => ({ bits: -1 }))],
  ["work as text", "claims_malformed", withClaims(() => ({ bits: "8" }))],
  ["no word on the work", "claims_malformed", withClaims(() => ({ bits: undefined }))],
  ["an address that is no hash of ours", "claims_malformed", withClaims(() => ({ address: "127.0.0.1" }))],
];

function toBase64(text: string): string {
  return text.replaceAll("-", "+").replaceAll("_", "/");
}
