import { z } from "zod";
import { defineScript } from "../../shared/define-script.ts";
import { finishedSchema, lineAnswerSchema } from "./answer.ts";
import beatSource from "./beat.lua";
import endSource from "./end.lua";
import enterSource from "./enter.lua";
import leaveSource from "./leave.lua";
import lineSource from "./line.lua";
import sweepSource from "./sweep.lua";
import touchSource from "./touch.lua";

/** The keys and arguments that line.lua names, in its order. */
const lineKeys = ["meta", "waiting", "beats", "active", "ready", "bucket", "used"] as const;
const lineArgs = {
  ticketId: z.string(),
  /** Only a simulation passes the time; everywhere else it is '' and Redis' own clock counts. */
  nowMs: z.union([z.number().int(), z.literal("")]),
  jitter: z.number().min(0).max(1),
  keepMs: z.number().int().positive(),
};

export const enterScript = defineScript({
  name: "enter",
  source: lineSource + enterSource,
  keys: [...lineKeys, "address"],
  args: { ...lineArgs, lane: z.number().int().min(0).max(3), ticketsPerIp: z.number().int().nonnegative() },
  reply: lineAnswerSchema,
});

export const beatScript = defineScript({
  name: "beat",
  source: lineSource + beatSource,
  keys: lineKeys,
  args: { ...lineArgs, order: z.number().int().nonnegative() },
  reply: lineAnswerSchema,
});

export const leaveScript = defineScript({
  name: "leave",
  source: lineSource + leaveSource,
  keys: lineKeys,
  args: lineArgs,
  reply: lineAnswerSchema,
});

export const endScript = defineScript({
  name: "end",
  source: lineSource + endSource,
  keys: [...lineKeys, "revoked", "revocation"],
  args: { ...lineArgs, reason: z.enum(["completed", "revoked", "left"]), detail: z.string() },
  reply: finishedSchema,
});

export const sweepScript = defineScript({
  name: "sweep",
  source: lineSource + sweepSource,
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
    renew: z.union([z.literal(0), z.literal(1)]),
  },
  reply: z.number().int().nonnegative(),
});
