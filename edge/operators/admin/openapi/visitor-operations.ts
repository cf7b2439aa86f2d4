import { z } from "zod";
import type { ErrorCode } from "../../../../shared/http/errors.ts";
import { healthReportSchema } from "../../../../shared/http/health.ts";
import { enterBodySchema } from "../../../admit/doors/enter-body.ts";
import { queueSettingsSchema } from "../../../line/settings.ts";
import { INVITE_FAULTS } from "../../../room/invite-fault.ts";
import type { OperationDescription } from "../operation.ts";
import { answerSchemas, bodySchemas, queueIdField, queueParams, sessionIdField } from "../schemas.ts";

const count = z.int().min(0);
const token = z.string().describe("A JWT.");

const waitingSchema = z
  .looseObject({
    state: z.literal("waiting"),
    queueId: queueIdField,
    ticket: token.describe("Holds the place in the line: present it at the next heartbeat."),
    ticketId: sessionIdField.describe("The id that the draw uses."),
    phase: z.enum(["prequeue", "line"]).describe("`prequeue`: the line does not move before `opensAt`."),
    opensAt: count.nullable(),
    position: z.int().min(1).nullable().describe("1 for the next one in; null while a draw keeps it secret."),
    total: count,
    lane: z.int().min(0).max(3),
    estimatedWaitSeconds: z.looseObject({ low: z.number().min(0), likely: z.number().min(0), high: z.number().min(0) }),
    isStalled: z.boolean().describe("The room is full and no session has ended lately: the estimate is the best case."),
    latestEntryAt: count
      .nullable()
      .describe(
        "When the line is stalled: the time at which the slot for this place is free at the latest, unless sessions inside are extended.",
      ),
    pollAfterMs: count.describe(
      "When to send the next heartbeat. Shortly before the visitor's turn it is exact to the millisecond.",
    ),
    enqueuedAt: count,
    notice: z.enum(INVITE_FAULTS).optional().describe("Why the invite failed."),
    mode: queueSettingsSchema.shape.mode.unwrap().describe("A `paused` line does not move."),
    message: z.string().optional().describe("The operator's message to waiting visitors."),
  })
  .register(answerSchemas, { id: "Waiting" });

const earlySchema = z
  .looseObject({
    state: z.literal("prequeue"),
    queueId: queueIdField,
    phase: z.literal("scheduled"),
    placesOpenAt: count.describe("From when on a place can be taken."),
    opensAt: count.describe("When the line begins to move."),
    pollAfterMs: count.describe("When to ask again."),
  })
  .register(answerSchemas, { id: "Early" });

const admittedSchema = z
  .looseObject({
    state: z.literal("admitted"),
    queueId: queueIdField,
    pass: token.describe("Good for every protected URL of this queue."),
    sessionId: sessionIdField,
    expiresAt: count.describe(
      "Until the pass is presented once, the slot is held for `claimSeconds` only: show it soon, and use the one that you get back.",
    ),
  })
  .register(answerSchemas, { id: "Admitted" });

const endedSchema = z
  .looseObject({
    state: z.literal("ended"),
    queueId: queueIdField,
    reason: z.enum(["expired", "completed", "revoked", "left"]),
    mayJoinInSeconds: z
      .int()
      .min(1)
      .optional()
      .describe("After a revocation with a ban: when `enter` accepts the visitor again."),
  })
  .register(answerSchemas, { id: "Ended" });

const visitorStateSchema = z
  .union([waitingSchema, earlySchema, admittedSchema, endedSchema])
  .register(answerSchemas, { id: "VisitorState" });

const publicQueueSchema = z
  .looseObject({
    queueId: queueIdField,
    name: z.string(),
    mode: queueSettingsSchema.shape.mode.unwrap(),
    phase: z.enum(["scheduled", "prequeue", "open", "over"]),
    order: queueSettingsSchema.shape.order.unwrap(),
    prequeueOpensAt: count.nullable(),
    opensAt: count.nullable(),
    closesAt: count.nullable(),
    waiting: count,
    active: count,
    maxActive: count,
    estimatedWaitSeconds: waitingSchema.shape.estimatedWaitSeconds,
    isStalled: waitingSchema.shape.isStalled,
  })
  .register(answerSchemas, { id: "PublicQueue" });

const drawSchema = z.looseObject({
  span: count.describe("Which span of numbers the draw has: part of a drawn ticket's `order`."),
  commitment: z.string().describe("SHA-256 of the seed, in hexadecimal digits."),
  opensAt: count,
  isDrawn: z.boolean(),
  seed: z.string().nullable().describe("Null before the opening."),
});

const publicDrawSchema = drawSchema
  .safeExtend({
    queueId: queueIdField,
    algorithm: z.record(z.string(), z.string()),
    howToCheck: z.array(z.string()),
    past: z.array(drawSchema).describe("Earlier draws of this queue, newest first."),
  })
  .register(answerSchemas, { id: "Draw" });

/** The very schema that `enter` reads its body with. */
const entrySchema = enterBodySchema.register(bodySchemas, { id: "Entry" });

const jwksSchema = z
  .looseObject({
    keys: z.array(
      z.looseObject({
        kid: z.string(),
        kty: z.string(),
        crv: z.string(),
        x: z.string(),
        alg: z.string(),
        use: z.literal("sig"),
      }),
    ),
  })
  .register(answerSchemas, { id: "PublicKeys" });

const healthSchema = healthReportSchema.register(answerSchemas, { id: "Health" });

/** Why a visitor may get neither a place nor an answer about it. */
const TURN_REFUSALS = [
  "queue_not_found",
  "address_limit",
  "rate_limited",
  "queue_closed",
  "event_over",
  "queue_full",
  "queue_unavailable",
  "store_unavailable",
] as const satisfies readonly ErrorCode[];

/** The operations for visitors' programs, origins and monitors; their handlers are in `admit/doors/`. */
export const visitorOperations: readonly OperationDescription[] = [
  {
    method: "post",
    path: "/queues/{queueId}/enter",
    id: "enterQueue",
    summary: "Join the line, or enter at once; repeated with the ticket, it is a heartbeat",
    access: "visitor",
    params: queueParams,
    body: { schema: entrySchema.optional() },
    answers: {
      200: { description: "Already known, or admitted at once, or too early for a place.", schema: visitorStateSchema },
      201: { description: "In the line.", schema: visitorStateSchema },
    },
    refusals: [
      ...(["json_malformed", "body_too_large", "validation_failed", "token_invalid", "queue_maintenance"] as const),
      ...([
        "invite_invalid",
        "invite_expired",
        "invite_used",
        "invite_revoked",
        "proof_required",
        "proof_refused",
      ] as const),
      ...(["session_banned", "other_site_form"] as const),
      ...TURN_REFUSALS,
    ],
  },
  {
    method: "post",
    path: "/queues/{queueId}/heartbeat",
    id: "sendHeartbeat",
    summary: "Report that the visitor is still there, and read the position",
    access: "visitor",
    params: queueParams,
    answers: { 200: { description: "The visitor's state.", schema: visitorStateSchema } },
    refusals: ["token_invalid", ...TURN_REFUSALS],
  },
  {
    method: "post",
    path: "/queues/{queueId}/leave",
    id: "leaveQueue",
    summary: "Give up the place or the session permanently. The body is ignored, so that a beacon may send it",
    access: "visitor",
    params: queueParams,
    query: z.strictObject({
      closing: z
        .literal("1")
        .optional()
        .describe("A page of an admitted visitor was closed: the session ends after 10 s, unless its pass comes back."),
    }),
    answers: {
      200: {
        description: "The same, as a page for the form on the waiting page.",
        schema: z.string(),
        mediaTypes: ["text/html"],
      },
      204: { description: "Given up. A repeated request changes nothing." },
    },
    refusals: ["token_invalid", "other_site_refused", "queue_not_found", "store_unavailable"],
  },
  {
    method: "get",
    path: "/queues/{queueId}/leave-on-close.js",
    id: "readLeaveOnClose",
    summary: "A script for pages behind the gate: gives the slot back when the last page is closed",
    access: "public",
    params: queueParams,
    answers: { 200: { description: "A script.", schema: z.string(), mediaTypes: ["text/javascript"] } },
    refusals: ["queue_not_found"],
  },
  {
    method: "get",
    path: "/queues/{queueId}",
    id: "readPublicQueue",
    summary: "A queue's public state; may be cached for 1 s",
    access: "public",
    params: queueParams,
    answers: { 200: { description: "As it is now.", schema: publicQueueSchema } },
    refusals: ["queue_not_found", "store_unavailable"],
  },
  {
    method: "get",
    path: "/queues/{queueId}/draw",
    id: "readDraw",
    summary:
      "Everything to check a lottery: the commitment before the opening, the seed after it; may be cached for 1 s",
    access: "public",
    params: queueParams,
    answers: { 200: { description: "The latest lottery.", schema: publicDrawSchema } },
    refusals: ["queue_not_found", "draw_not_found", "store_unavailable"],
  },
  {
    method: "get",
    path: "/jwks.json",
    id: "readPublicKeys",
    summary: "The public keys that tickets and passes are verified with (RFC 7517)",
    access: "public",
    answers: {
      200: { description: "Active and retiring keys.", schema: jwksSchema, mediaTypes: ["application/jwk-set+json"] },
    },
    refusals: [],
  },
  {
    method: "get",
    path: "/health",
    id: "readHealth",
    summary:
      "Whether every part answers: JSON, or a page for people; at most a second old, and with details for operators",
    access: "public",
    answers: {
      200: { description: "Every part answers.", schema: healthSchema },
      503: { description: "`down` names those that do not.", schema: healthSchema },
    },
    refusals: ["rate_limited"],
  },
  {
    method: "get",
    path: "/metrics",
    id: "readMetrics",
    summary: "Every queue and this edge as Prometheus reads them; answers also when the store is unavailable",
    access: "operator",
    answers: { 200: { description: "Prometheus' text format.", schema: z.string(), mediaTypes: ["text/plain"] } },
    refusals: [],
  },
  {
    method: "get",
    path: "/openapi.json",
    id: "readDocument",
    summary: "This document",
    access: "public",
    answers: { 200: { description: "OpenAPI 3.1.", schema: z.looseObject({ openapi: z.string() }) } },
    refusals: [],
  },
];
