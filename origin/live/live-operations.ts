import { publicOperation, type VenueOperation } from "../api/operation.ts";

/** In the document, so that it is found there; a handshake never comes here (`live-server.ts`). */
export const liveOperations: readonly VenueOperation[] = [
  publicOperation({
    method: "get",
    path: "/ws",
    id: "openSocket",
    summary: "A WebSocket for who is signed in",
    description:
      'Sign in with `Authorization` in the handshake, or with `{"type":"authenticate","accessToken"}` as the first message, within ten seconds: a browser can do the latter. ' +
      'The same message with a newer token of the session keeps the socket open. `{"type":"ping","id"}` is answered with `{"type":"pong","id","serverTime"}`. ' +
      "Closed with 4403 when the session ends, wherever that happens, and with 4408 when the token has run out.",
    limit: "read",
    answers: { 101: { description: "JSON, one object to a message." } },
    refusals: ["upgrade_required", "not_signed_in", "venue_busy"],
    run: async ({ refuse }) => refuse("upgrade_required", { headers: { connection: "Upgrade", upgrade: "websocket" } }),
  }),
];
