import { z } from "zod";
import { defineScript } from "../../../shared/store/define-script.ts";
import { finishedSchema, lineAnswerSchema } from "../answer.ts";
import beatSource from "./beat.lua";
import endSource from "./end.lua";
import enterSource from "./enter.lua";
import leaveSource from "./leave.lua";
import sweepSource from "./sweep.lua";
import touchSource from "./touch.lua";

/** The keys and arguments that line.lua and tally.lua name, in their order. */
const lineKeys = ["meta", "waiting", "beats", "active", "ready", "bucket", "used", "stats"] as const;
const lineArgs = {
  ticketId: z.string(),
  /** Only a simulation passes the time; everywhere else it is '' and Redis' own clock counts. */
  nowMs: z.union([z.number().int(), z.literal("")]),
  jitter: z.number().min(0).max(1),
  keepMs: z.number().int().positive(),
};

export const enterScript = defineScript({
  name: "enter",
  source: enterSource,
  keys: [...lineKeys, "address", "invite", "person", "proof"],
  args: {
    ...lineArgs,
    lane: z.number().int().min(0).max(3),
    ticketsPerIp: z.number().int().nonnegative(),
    drawSpan: z.number().int().min(-1),
    number: z.number().int().nonnegative(),
    inviteUses: z.number().int().nonnegative(),
    inviteKeptUntilMs: z.number().int().nonnegative(),
    isKeyed: z.union([z.literal(0), z.literal(1)]),
    replacedTicketId: z.string(),
    heldOrder: z.number().int().min(-1),
    proofMs: z.number().int().nonnegative(),
  },
  reply: lineAnswerSchema,
});

export const beatScript = defineScript({
  name: "beat",
  source: beatSource,
  keys: lineKeys,
  args: { ...lineArgs, order: z.number().int().nonnegative() },
  reply: lineAnswerSchema,
});

export const leaveScript = defineScript({
  name: "leave",
  source: leaveSource,
  keys: lineKeys,
  args: lineArgs,
  reply: lineAnswerSchema,
});

export const endScript = defineScript({
  name: "end",
  source: endSource,
  keys: [...lineKeys, "revoked", "revocation", "ban", "session"],
  args: {
    ...lineArgs,
    reason: z.enum(["completed", "revoked", "left"]),
    detail: z.string(),
    acceptedPastEndMs: z.number().int(),
    leavingAtMs: z.union([z.number().int(), z.literal("")]),
  },
  reply: finishedSchema,
});

export const sweepScript = defineScript({
  name: "sweep",
  source: sweepSource,
  keys: [...lineKeys, "revoked"],
  args: lineArgs,
  reply: finishedSchema,
});

export const touchScript = defineScript({
  name: "touch",
  source: touchSource,
  keys: ["meta", "active", "ready", "session"],
  args: {
    sessionId: z.string(),
    nowMs: z.union([z.number().int(), z.literal("")]),
    views: z.number().int().nonnegative(),
    how: z.enum(["look", "note", "renew"]),
    isFirst: z.union([z.literal(0), z.literal(1)]),
  },
  reply: z.number().int().nonnegative(),
});
