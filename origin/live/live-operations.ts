import { z } from "zod";
import { publicOperation, type VenueOperation } from "../api/operation.ts";
import { asyncApiDocument } from "./async-api-document.ts";
import { asyncApiPage, PAGE_POLICY } from "./async-api-page.ts";

const MAX_AGE_SECONDS = 300;
const CACHE = { "cache-control": `private, max-age=${MAX_AGE_SECONDS}` };
const document = asyncApiDocument();

/** The AsyncAPI document and its page; handshakes and event streams are handled by `live-server.ts`. */
export const liveOperations: readonly VenueOperation[] = [
  publicOperation({
    method: "get",
    path: "/ws",
    id: "openSocket",
    summary: "A WebSocket with live channels",
    description:
      "Books, trades and other public channels without sign-in; orders, balances and trades of the user with `Authorization` or a " +
      "signature in the handshake, or with a message. `/api/v1/asyncapi.json` describes the messages, `/api/v1/docs/live` shows them. " +
      "Closed with 4403 when the session ends, in whichever process, and with 4408 when the token expires.",
    limit: "read",
    answers: { 101: { description: "JSON, one object per message." } },
    refusals: ["upgrade_required", "not_signed_in", "venue_busy", "socket_limit_reached"],
    run: async ({ refuse }) => refuse("upgrade_required", { headers: { connection: "Upgrade", upgrade: "websocket" } }),
  }),
  publicOperation({
    method: "get",
    path: "/stream",
    id: "openStream",
    summary: "Public live channels as server-sent events",
    description:
      "For clients without WebSockets: up to 20 public channels, separated by commas. Each event has a message as its data, and an id that resumes " +
      "every channel when it comes back as `Last-Event-ID`, which browsers do by themselves. A stream ends after five minutes.",
    limit: "read",
    query: z.strictObject({
      channels: z.string().describe("Such as `book:btcidr,trades:btcidr`."),
      lastEventId: z.string().optional().describe("Instead of the header `Last-Event-ID`."),
    }),
    answers: { 200: { description: "Events.", schema: z.string(), mediaTypes: ["text/event-stream"] } },
    refusals: ["channel_unknown", "resume_invalid", "subscription_limit_reached", "socket_limit_reached", "venue_busy"],
    // Without a connection of its own, as in a test that calls the app, there is nothing to stream to.
    run: async ({ refuse }) => refuse("store_unavailable"),
  }),
  publicOperation({
    method: "get",
    path: "/asyncapi.json",
    id: "readLiveDocument",
    summary: "The live channels' document",
    limit: "read",
    answers: { 200: { description: "AsyncAPI 3.0.", schema: z.looseObject({ asyncapi: z.string() }) } },
    refusals: [],
    run: async () =>
      new Response(JSON.stringify(document), { headers: { "content-type": "application/json", ...CACHE } }),
  }),
  publicOperation({
    method: "get",
    path: "/docs/live",
    id: "readLiveDocumentation",
    summary: "The live channels' document as a page",
    limit: "read",
    answers: { 200: { description: "HTML.", schema: z.string(), mediaTypes: ["text/html"] } },
    refusals: [],
    run: async () =>
      new Response(asyncApiPage(document), {
        headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": PAGE_POLICY, ...CACHE },
      }),
  }),
];
