import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { PASS_HEADER, type Pass } from "../../shared/admission.ts";
import { tokenProblem } from "../../shared/token-problem.ts";
import type { PassCheck } from "./pass-check.ts";
import { refuseUpgrade } from "./refuse-upgrade.ts";

type Handshake = { readonly request: IncomingMessage; readonly socket: Duplex };

/**
 * The same verdict for a WebSocket handshake, to be asked in `server.on("upgrade")` before anything is upgraded. Without a valid pass the
 * client gets the answer that it would get over HTTP, the socket is closed, and there is nothing left to do for the caller.
 */
export async function admitUpgrade(check: PassCheck, { request, socket }: Handshake): Promise<Pass | undefined> {
  // Until the upgrade is done nobody else listens, and a client that leaves meanwhile must not end the process.
  const ignore = () => {};
  socket.on("error", ignore);
  const path = (request.url ?? "").split("?", 1)[0] ?? "";
  const verdict = await check({ pass: single(request.headers[PASS_HEADER]), path, requestId: single(request.headers["x-request-id"]) });
  if (!verdict.ok) {
    await refuseUpgrade(socket, tokenProblem(verdict.reason));
    return undefined;
  }
  socket.off("error", ignore);
  return verdict.value;
}

/** Node joins repeated headers with a comma; only `set-cookie` is a list. */
function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}
