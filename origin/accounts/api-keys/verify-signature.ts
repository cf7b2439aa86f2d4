import { timingSafeEqual } from "node:crypto";
import type { Clock } from "../../../shared/clock.ts";
import { parseAddress } from "../../../shared/net/ip-address.ts";
import { type IpRange, isInRange, parseRange } from "../../../shared/net/ip-range.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import type { LateNotes } from "../../db/late-notes.ts";
import type { Nonce } from "../../engine/command.ts";
import type { User } from "../identity/user.ts";
import { readUserCopy } from "../identity/user-copies.ts";
import { type HmacSha256, hmacSha256 } from "./hmac-sha256.ts";
import { type KeyCopies, type KeyCopy, nonceOf } from "./key-copies.ts";
import type { Permission } from "./key-queries.ts";
import type { Seal } from "./seal.ts";
import { type Received, readSignedRequest, type SignedRequest } from "./signed-request.ts";

/** Verifies the signature of a request: one round trip when the key was used within the last minute, otherwise two. */
export type VerifySignature = (received: Received, from: From) => Promise<Result<Signer, SignatureRefusal>>;

type From = {
  readonly address: string | undefined;
  /** False where the engine refuses a repetition by the nonce. Nothing is written then. */
  readonly isRemembered: boolean;
};

export type Signer = {
  readonly user: User;
  readonly keyId: string;
  readonly permissions: readonly Permission[];
  /** Undefined for a key that does not expire. */
  readonly expiresAtMs: number | undefined;
  /** The signature's nonce, and how long the engine must remember it. */
  readonly nonce: Nonce;
};

export type SignatureRefusal =
  | { readonly code: "signature_invalid" | "request_replayed" | "key_expired" | "address_not_allowed" }
  | { readonly code: "timestamp_outside_window"; readonly serverTimeMs: number; readonly driftMs: number };

/** A secret in plain text, in this process only, for a minute. */
type KnownKey = KeyCopy & {
  readonly hmac: HmacSha256;
  readonly ranges: readonly IpRange[];
  readonly forgetAtMs: number;
};

const REMEMBERED_MS = 60_000;
const REMEMBERED_MAX = 10_000;
/** A clock that is ahead is worse than a slow network: its requests could be kept and sent later. */
const AHEAD_MS_MAX = 1_000;
/** A command may wait this long for the next leader; beyond that the engine could not detect a repetition. */
const ENGINE_LATE_MS_MAX = 30_000;
const USE_NOTED_EVERY_MS = 60_000;

type VerifierParts = {
  readonly copies: KeyCopies;
  readonly seal: Seal;
  readonly notes: LateNotes;
  readonly clock: Clock;
};

export function createSignatureVerifier({ copies, seal, notes, clock }: VerifierParts): VerifySignature {
  const known = new Map<string, KnownKey>();
  const notedAtMs = new Map<string, number>();

  async function find(keyId: string, nowMs: number): Promise<KnownKey | undefined> {
    const remembered = known.get(keyId);
    if (remembered !== undefined && remembered.forgetAtMs > nowMs) return remembered;
    known.delete(keyId);
    const copy = await copies.read(keyId);
    if (copy === undefined) return undefined;
    const secret = seal.open(copy.sealedSecret, { kind: "api-key", userId: copy.userId, id: keyId });
    const ranges = copy.cidrs.map(parseRange).flatMap((range) => (range.ok ? [range.value] : []));
    const key = { ...copy, hmac: hmacSha256(secret), ranges, forgetAtMs: nowMs + REMEMBERED_MS };
    known.set(keyId, key);
    const oldest = known.size > REMEMBERED_MAX ? known.keys().next() : undefined;
    if (oldest?.done === false) known.delete(oldest.value);
    return key;
  }

  /** Once a minute. */
  function noteUse(keyId: string, nowMs: number): void {
    if (nowMs - (notedAtMs.get(keyId) ?? 0) < USE_NOTED_EVERY_MS) return;
    if (notedAtMs.size >= REMEMBERED_MAX) notedAtMs.clear();
    notedAtMs.set(keyId, nowMs);
    notes.note(keyId, nowMs);
  }

  return async (received, { address, isRemembered }) => {
    const read = readSignedRequest(received);
    if (!read.ok) return fail({ code: "signature_invalid" });
    const request = read.value;
    const nowMs = clock.nowMs();
    const driftMs = request.timestampMs - nowMs;
    if (driftMs > AHEAD_MS_MAX || driftMs < -request.windowMs) {
      return fail({ code: "timestamp_outside_window", serverTimeMs: nowMs, driftMs });
    }
    const judged = judge(request, { key: await find(request.keyId, nowMs), address, nowMs });
    return judged.ok ? use(request, { key: judged.value, address, nowMs, isRemembered }) : judged;
  };

  /** A request with a valid signature, if it is the first with it and the key has not changed since it was read. */
  async function use(
    request: SignedRequest,
    { key, address, nowMs, isRemembered }: Signed,
  ): Promise<Result<Signer, SignatureRefusal>> {
    const { id: keyId, userId, revision } = key;
    const { signature, timestampMs, windowMs } = request;
    const used = isRemembered
      ? await copies.use({ keyId, userId, signature, rememberMs: windowMs + AHEAD_MS_MAX })
      : { ...(await copies.look({ keyId, userId })), isFresh: true };
    let judged: Result<KnownKey, SignatureRefusal> = ok(key);
    if (used.revision !== String(revision)) {
      // The key was revoked or resealed: read it again.
      known.delete(keyId);
      judged = judge(request, { key: await find(keyId, nowMs), address, nowMs });
    }
    if (!judged.ok) return judged;
    if (!used.isFresh) return fail({ code: "request_replayed" });
    const user = readUserCopy(used.user);
    if (user?.status !== "active") return fail({ code: "signature_invalid" });
    noteUse(keyId, nowMs);
    const nonce = { id: nonceOf(signature), until: timestampMs + windowMs + ENGINE_LATE_MS_MAX };
    const { permissions, expiresAt: expiresAtMs } = judged.value;
    return ok({ user, keyId, permissions, expiresAtMs, nonce });
  }
}

type Circumstances = {
  readonly key: KnownKey | undefined;
  readonly address: string | undefined;
  readonly nowMs: number;
};
type Signed = Circumstances & { readonly key: KnownKey; readonly isRemembered: boolean };

/** Everything about a request that the key itself decides. */
function judge(request: SignedRequest, { key, address, nowMs }: Circumstances): Result<KnownKey, SignatureRefusal> {
  if (key === undefined || !isSignedWith(key.hmac, request)) return fail({ code: "signature_invalid" });
  if (key.expiresAt !== undefined && key.expiresAt <= nowMs) return fail({ code: "key_expired" });
  if (key.ranges.length > 0 && !isIn(key.ranges, address)) return fail({ code: "address_not_allowed" });
  return ok(key);
}

function isSignedWith(hmac: HmacSha256, { text, signature }: SignedRequest): boolean {
  return timingSafeEqual(hmac(text), Buffer.from(signature, "hex"));
}

function isIn(ranges: readonly IpRange[], address: string | undefined): boolean {
  const parsed = parseAddress(address ?? "");
  return parsed !== undefined && ranges.some((range) => isInRange(parsed, range));
}
