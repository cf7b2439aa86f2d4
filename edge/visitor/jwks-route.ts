import type { Context } from "hono";
import { problemResponse } from "../../shared/errors.ts";
import type { EdgeEnvironment } from "../env.ts";
import { gateOfIsolate } from "../gate/open-gate.ts";
import { log } from "../log.ts";
import { jwksResponse } from "../token/jwks.ts";

/** `GET /_sluice/jwks.json`: needs no store, so that an origin can start while it is down. */
export async function jwksRoute(c: Context<EdgeEnvironment>): Promise<Response> {
  const { requestId, configuration } = c.var.visit;
  const gate = await gateOfIsolate(configuration);
  if (gate.ok) return jwksResponse(gate.value.tokens.keyring);
  log("error", "SLUICE_SIGNING_KEYS cannot be used", { requestId, faults: gate.reason });
  return problemResponse("internal_error", { requestId });
}
