import { unreachable } from "../../../shared/assert.ts";
import { problemResponse } from "../../../shared/http/errors.ts";
import type { Limit } from "../../../shared/http/limit.ts";
import { addressIdentity } from "../../../shared/net/ip-address.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import { isSameText } from "../../../shared/tokens/same-bytes.ts";
import { log } from "../../request/log.ts";
import type { Visit } from "../../request/read-visit.ts";
import { judgeConsoleCall } from "../console/console-call.ts";
import type { ConsoleSession } from "../console/console-session.ts";

/** The operator's name for the audit log, or the response for a client that is no operator. */
type Recognised = Result<string, Response>;

/**
 * Recognises `Authorization: Bearer` with a token of `SLUICE_ADMIN_TOKEN` or `SLUICE_ADMIN_TOKENS`, or a call of a
 * signed-in console. Without a configured token the operator API is closed. The rate limit per address is checked
 * before the token, so that tokens cannot be guessed.
 */
export async function recogniseOperator(visit: Visit, limit: Limit): Promise<Recognised> {
  const refusal = refuseEverybody(visit, limit);
  if (refusal !== undefined) return fail(refusal);
  const authorization = visit.request.headers.get("authorization");
  if (authorization !== null) return recogniseToken(visit, bearerOf(authorization));
  const call = await judgeConsoleCall(visit);
  switch (call.kind) {
    case "genuine":
      return ok(actorOf(call.session));
    case "foreign":
      log("warn", "a request with a console cookie did not come from the console", {
        requestId: visit.requestId,
        path: visit.target.path,
      });
      return fail(problemResponse("console_call_foreign", { requestId: visit.requestId }));
    case "none":
      return recogniseToken(visit, "");
    default:
      return unreachable(call);
  }
}

/** As before, for a token that comes by another way than the header. */
export async function recogniseSignIn(visit: Visit, limit: Limit, token: string): Promise<Recognised> {
  const refusal = refuseEverybody(visit, limit);
  return refusal === undefined ? recogniseToken(visit, token) : fail(refusal);
}

/** A self-chosen name follows the token's name, so that operators cannot impersonate each other. */
export function actorOf({ operator, name }: Pick<ConsoleSession, "operator" | "name">): string {
  return name === "" ? operator : `${operator} (${name})`;
}

function refuseEverybody({ requestId, clientAddress, configuration }: Visit, limit: Limit): Response | undefined {
  const { operators } = configuration;
  if (operators.length === 0) {
    log("error", "SLUICE_ADMIN_TOKEN is not set or too short, so operators are refused", { requestId });
    return problemResponse("operator_access_off", { requestId });
  }
  const { isOver, ...whenOver } = limit.take(addressIdentity(clientAddress ?? ""));
  return isOver ? problemResponse("rate_limited", { requestId, ...whenOver }) : undefined;
}

/** Every token is looked at, also behind the one that fits: how long it takes does not tell whose it was. */
async function recogniseToken(
  { requestId, clientAddress, configuration, target }: Visit,
  shown: string,
): Promise<Recognised> {
  const fits = await Promise.all(configuration.operators.map(({ token }) => isSameText(shown, token)));
  const operator = configuration.operators.find((_, index) => fits[index]);
  if (operator !== undefined) return ok(operator.name);
  log("warn", "an operator's token was refused", { requestId, address: clientAddress, path: target.path });
  const headers = { "www-authenticate": 'Bearer realm="sluice"' };
  return fail(problemResponse("operator_token_invalid", { requestId, headers }));
}

/**
 * RFC 6750, 2.1. Anything but a bearer token is compared as an empty one, so that every refusal takes the same path.
 */
function bearerOf(header: string): string {
  return /^bearer +(\S+)$/i.exec(header)?.[1] ?? "";
}
