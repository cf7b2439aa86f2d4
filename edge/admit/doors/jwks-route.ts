import type { Context } from "hono";
import type { EdgeEnvironment } from "../../request/env.ts";
import { jwksResponse } from "../../tokens/jwks.ts";
import { gateOf } from "../open-gate.ts";

/** `GET /_sluice/jwks.json`: needs no store, so that an origin can start while the store is unavailable. */
export async function jwksRoute(c: Context<EdgeEnvironment>): Promise<Response> {
  const gate = await gateOf(c.var.visit);
  return gate.ok ? jwksResponse(gate.value.tokens.keyring) : gate.reason;
}
