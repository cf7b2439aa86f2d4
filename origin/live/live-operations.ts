import { publicOperation, type VenueOperation } from "../api/operation.ts";

/** Only for the OpenAPI document; handshakes are handled by `live-server.ts`. */
export const liveOperations: readonly VenueOperation[] = [
  publicOperation({
    method: "get",
    path: "/ws",
    id: "openSocket",
    summary: "A WebSocket for signed-in users",
    description:
      'Sign in with `Authorization` in the handshake, or (in browsers) with `{"type":"authenticate","accessToken"}` ' +
      "as the first message, within ten seconds. " +
      'The same message with a newer token of the session keeps the socket open. `{"type":"ping","id"}` is answered with `{"type":"pong","id","serverTime"}`. ' +
      "Closed with 4403 when the session ends, in whichever process, and with 4408 when the token expires.",
    limit: "read",
    answers: { 101: { description: "JSON, one object per message." } },
    refusals: ["upgrade_required", "not_signed_in", "venue_busy"],
    run: async ({ refuse }) => refuse("upgrade_required", { headers: { connection: "Upgrade", upgrade: "websocket" } }),
  }),
];
