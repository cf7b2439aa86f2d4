import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { type FillRandom, newSecret } from "../../../shared/ids.ts";

/**
 * A refresh token is 256 random bits with the session's id and a seal over both. The store keeps only a hash. The seal
 * tells a token that we issued, whose reuse ends its session, from an invented one, which ends nothing: knowing a
 * session's id is not enough to end it.
 */
export type RefreshTokens = {
  readonly mint: (session: { readonly userId: string; readonly sessionId: string }) => MintedRefreshToken;
  readonly read: (token: string) => PresentedRefreshToken | undefined;
};

export type MintedRefreshToken = { readonly sessionId: string; readonly token: string; readonly hash: string };
export type PresentedRefreshToken = { readonly userId: string; readonly sessionId: string; readonly hash: string };

const FORM = /^svr_([0-9a-f]{32})\.([\w-]{22})\.([\w-]{43})\.([\w-]{43})$/;

export function createRefreshTokens({
  key,
  random,
}: {
  readonly key: Buffer;
  readonly random: FillRandom;
}): RefreshTokens {
  const sealOf = (text: string) => createHmac("sha256", key).update(text).digest();

  return {
    mint({ userId, sessionId }) {
      const text = `svr_${userId.replaceAll("-", "")}.${sessionId}.${newSecret(random)}`;
      const token = `${text}.${sealOf(text).toString("base64url")}`;
      return { sessionId, token, hash: hashOf(token) };
    },
    read(token) {
      const [, userId = "", sessionId = "", , seal = ""] = FORM.exec(token) ?? [];
      if (seal === "") return undefined;
      const expected = sealOf(token.slice(0, token.lastIndexOf(".")));
      // Compared as bytes; another spelling of the same bytes has another hash and is not a token of ours either.
      if (!timingSafeEqual(Buffer.from(seal, "base64url"), expected) || expected.toString("base64url") !== seal)
        return undefined;
      return { userId: userId.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"), sessionId, hash: hashOf(token) };
    },
  };
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
