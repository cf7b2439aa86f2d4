import { timingSafeEqual } from "node:crypto";
import { assert } from "../shared/assert.ts";

/** The rights of a token: everything the policy allows, or read commands only. */
export type Access = "full" | "read";

const TOKEN_LENGTH_MAX = 512;
/** A scheme is written in any case (RFC 9110, 11.1). */
const BEARER = "bearer ";

type Tokens = { readonly token: string; readonly readOnlyToken: string | undefined };

/**
 * Compares in constant time: both sides are padded to one length, so the time of a refusal reveals neither a matching
 * prefix nor the token's length.
 */
export function createTokenCheck({
  token,
  readOnlyToken,
}: Tokens): (presented: string | undefined) => Access | undefined {
  assert(token !== "" && token !== readOnlyToken, "the tokens are not empty and differ");
  const full = padded(token);
  const read = readOnlyToken === undefined ? undefined : padded(readOnlyToken);
  const scratch = Buffer.alloc(TOKEN_LENGTH_MAX + 2);

  return (presented) => {
    if (presented === undefined || presented === "" || presented.length > TOKEN_LENGTH_MAX) return undefined;
    fill(scratch, presented);
    const isFull = timingSafeEqual(scratch, full);
    const isRead = read !== undefined && timingSafeEqual(scratch, read);
    if (isFull) return "full";
    return isRead ? "read" : undefined;
  };
}

export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.slice(0, BEARER.length).toLowerCase() !== BEARER) return undefined;
  return authorization.slice(BEARER.length);
}

function padded(token: string): Buffer {
  assert(
    Buffer.byteLength(token) === token.length && token.length <= TOKEN_LENGTH_MAX,
    "a token is ASCII of a bounded length",
  );
  return fill(Buffer.alloc(TOKEN_LENGTH_MAX + 2), token);
}

/** The length is part of what is compared, so that a token followed by zero bytes is another token. */
function fill(bytes: Buffer, token: string): Buffer {
  bytes.fill(0);
  bytes.write(token, 2, "latin1");
  bytes.writeUInt16BE(token.length, 0);
  return bytes;
}
