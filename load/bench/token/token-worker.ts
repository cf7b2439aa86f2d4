import { type CryptoKey, generateKeyPair, jwtVerify, SignJWT } from "jose";
import { tokenFromCookies } from "../../../edge/admit/presented.ts";
import { createTokens, type Tokens } from "../../../edge/tokens/tokens.ts";
import type { QueueId } from "../../../shared/queue-id.ts";
import { parseKeyring } from "../../../shared/tokens/keyring.ts";
import { newTokenKey } from "../../../shared/tokens/new-token-key.ts";
import { createTokenMemory } from "../../../shared/tokens/token-verifier.ts";

/**
 * Runs one token operation `times` times. workerd's clock does not advance while a request computes, so the caller
 * measures. Every operation checks its own result: a fast failure would look like speed.
 */
// biome-ignore lint/style/noDefaultExport: workerd takes the handler from the default export.
export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const operation = operations[pathname.slice(1)];
    if (operation === undefined) return new Response(null, { status: 404 });
    const times = Number(searchParams.get("times"));
    bench ??= await prepare();
    for (let index = 0; index < times; index++) await operation(bench, index);
    return new Response("done");
  },
};

type Bench = {
  readonly tokens: Tokens;
  /** The same keyring, with a memory of one token. */
  readonly forgetful: Tokens;
  readonly pairs: Readonly<Record<Algorithm, { readonly privateKey: CryptoKey; readonly publicKey: CryptoKey }>>;
  readonly plain: Readonly<Record<Algorithm, string>>;
  readonly cookies: readonly string[];
};

type Algorithm = "EdDSA" | "ES256";

const QUEUE_ID = "venue" as QueueId;
const VISITORS = 1_000;
const NOW_MS = 1_790_000_000_000;
const at = { queueId: QUEUE_ID, nowMs: NOW_MS };
const cookie = { kind: "pass", queueId: QUEUE_ID, secure: false } as const;
const digests = createTokenMemory<number>({ entriesMax: VISITORS, isUnexpired: () => true });

let bench: Bench | undefined;

const operations: Readonly<Record<string, (bench: Bench, index: number) => Promise<void>>> = {
  "sign-eddsa": async ({ pairs }) => void (await signPlain("EdDSA", pairs.EdDSA.privateKey)),
  "sign-es256": async ({ pairs }) => void (await signPlain("ES256", pairs.ES256.privateKey)),
  "verify-eddsa": (bench) => verifyPlain("EdDSA", bench),
  "verify-es256": (bench) => verifyPlain("ES256", bench),
  "read-first": ({ forgetful, cookies }, index) => readFromCookie(forgetful, cookies, index),
  "read-again": ({ tokens, cookies }, index) => readFromCookie(tokens, cookies, index),
  "digest-lookup": async ({ cookies }, index) => {
    const token = cutFromCookie(cookies, index);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
    digests.recall(new Uint32Array(digest).join());
  },
};

async function prepare(): Promise<Bench> {
  const keyring = await parseKeyring(JSON.stringify({ active: "k", keys: [await newTokenKey("k")] }));
  if (!keyring.ok) throw new Error(keyring.reason.join());
  const tokens = createTokens({ keyring: keyring.value, issuer: "sluice" });
  const forgetful = createTokens({ keyring: keyring.value, issuer: "sluice", rememberedMax: 1 });
  const pairs = { EdDSA: await generateKeyPair("EdDSA"), ES256: await generateKeyPair("ES256") };
  const plain = {
    EdDSA: await signPlain("EdDSA", pairs.EdDSA.privateKey),
    ES256: await signPlain("ES256", pairs.ES256.privateKey),
  };
  const ids = Array.from({ length: VISITORS }, (_, index) => String(index).padStart(22, "A"));
  const passes = await Promise.all(
    ids.map((id) =>
      tokens.signPass({ queueId: QUEUE_ID, sessionId: id, jti: id, nowMs: NOW_MS, expiresAtMs: NOW_MS + 3_600_000 }),
    ),
  );
  return {
    tokens,
    forgetful,
    pairs,
    plain,
    cookies: passes.map((pass) => `theme=dark; sluice-pass-venue=${pass}; language=de`),
  };
}

function signPlain(alg: Algorithm, key: CryptoKey): Promise<string> {
  const issuedAtSeconds = NOW_MS / 1000;
  return new SignJWT({ jti: "A".repeat(22) })
    .setProtectedHeader({ alg, typ: "sluice-pass+jwt", kid: "k" })
    .setIssuer("sluice")
    .setAudience("sluice:pass:venue")
    .setSubject("A".repeat(22))
    .setIssuedAt(issuedAtSeconds)
    .setExpirationTime(issuedAtSeconds + 3_600)
    .sign(key);
}

async function verifyPlain(alg: Algorithm, { pairs, plain }: Bench): Promise<void> {
  await jwtVerify(plain[alg], pairs[alg].publicKey, {
    algorithms: [alg],
    typ: "sluice-pass+jwt",
    issuer: "sluice",
    audience: "sluice:pass:venue",
    requiredClaims: ["exp", "iat", "sub"],
    currentDate: new Date(NOW_MS),
  });
}

/** As in the gate, including the cookie header. */
async function readFromCookie({ readPass }: Tokens, cookies: readonly string[], index: number): Promise<void> {
  const pass = await readPass(cutFromCookie(cookies, index), at);
  if (!pass.ok) throw new Error(pass.reason);
}

function cutFromCookie(cookies: readonly string[], index: number): string {
  const presented = tokenFromCookies(cookies[index % cookies.length], cookie);
  if (!presented.ok || presented.value === undefined) throw new Error("no pass in the cookie");
  return presented.value;
}
