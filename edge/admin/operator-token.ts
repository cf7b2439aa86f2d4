import { problemResponse } from "../../shared/errors.ts";
import { addressIdentity, type Limit } from "../gate/limits.ts";
import { log } from "../log.ts";
import { clientAddress } from "../proxy/client-address.ts";
import type { Visit } from "../proxy/read-visit.ts";

/** A token that can be guessed is no token; the same bound as at the start of the stack. */
const TOKEN_CHARS_MIN = 16;

/**
 * Nothing for whoever shows `Authorization: Bearer $SLUICE_ADMIN_TOKEN`, and the answer for everybody else. Without a token
 * in the configuration nobody comes in: a gate that was set up in a hurry is closed to operators, never open to everybody.
 * One address may ask only so often, and that is looked at before the token, so that nobody can try many.
 */
export async function refuseStranger(visit: Visit, limit: Limit): Promise<Response | undefined> {
  const { requestId, request, configuration, target } = visit;
  const { adminToken, clientAddressFrom } = configuration;
  if (adminToken === undefined || adminToken.length < TOKEN_CHARS_MIN) {
    log("error", "SLUICE_ADMIN_TOKEN is not set or too short, so operators are refused", { requestId });
    return problemResponse("operator_access_off", { requestId });
  }
  const { isOver, ...whenOver } = limit.take(addressIdentity(clientAddress(request, clientAddressFrom) ?? ""));
  if (isOver) return problemResponse("rate_limited", { requestId, ...whenOver });
  if (await isSameText(bearerOf(request.headers.get("authorization")), adminToken)) return undefined;
  log("warn", "an operator's token was refused", { requestId, path: target.path });
  return problemResponse("operator_token_invalid", { requestId, headers: { "www-authenticate": 'Bearer realm="sluice"' } });
}

/** RFC 6750, 2.1. What is not a bearer token is compared as one that is empty, so that every refusal takes the same way. */
function bearerOf(header: string | null): string {
  return /^bearer +(\S+)$/i.exec(header ?? "")?.[1] ?? "";
}

/** Compares digests, which have one length and tell nothing about their texts, and looks at every byte of them. */
async function isSameText(left: string, right: string): Promise<boolean> {
  const [a, b] = await Promise.all([sha256(left), sha256(right)]);
  let difference = 0;
  for (const [index, byte] of a.entries()) difference |= byte ^ (b[index] ?? 0);
  return difference === 0;
}

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
