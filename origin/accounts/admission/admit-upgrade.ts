import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { PASS_HEADER, type Pass } from "../../../shared/tokens/admission.ts";
import { tokenProblem } from "../../../shared/tokens/token-problem.ts";
import type { PassCheck } from "./admission.ts";

type Handshake = { readonly request: IncomingMessage; readonly socket: Duplex };

/**
 * The same check for a WebSocket handshake, to be called in `server.on("upgrade")` before the upgrade. Without a valid
 * pass the client gets the answer that it would get over HTTP, the socket is closed, and the caller has nothing left to
 * do.
 */
export async function admitUpgrade(check: PassCheck, { request, socket }: Handshake): Promise<Pass | undefined> {
  // Until the upgrade is done there is no other listener, and a client that leaves meanwhile must not end the process.
  const ignore = () => {};
  socket.on("error", ignore);
  const path = (request.url ?? "").split("?", 1)[0] ?? "";
  const verdict = await check({
    pass: single(request.headers[PASS_HEADER]),
    path,
    requestId: single(request.headers["x-request-id"]),
  });
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

/** Refuses a WebSocket handshake with the answer that a request would get, and closes the socket. */
export async function refuseUpgrade(socket: Duplex, response: Response): Promise<void> {
  const body = await response.text();
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const statusLine = `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ""}`;
  socket.once("finish", () => socket.destroy());
  socket.end(
    `${statusLine}\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
