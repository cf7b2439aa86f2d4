import { z } from "zod";
import { defineScript } from "../../../shared/store/define-script.ts";
import revokeInviteSource from "./invites/revoke-invite.lua";
import readRoutesSource from "./routes/read-routes.lua";
import replaceRoutesSource from "./routes/replace-routes.lua";
import listSessionsSource from "./sessions/list-sessions.lua";
import readSessionSource from "./sessions/read-session.lua";

const version = z.string().regex(/^[0-9a-f]{40}$/);

export const readRoutesScript = defineScript({
  name: "read-routes",
  source: readRoutesSource,
  keys: ["routes"],
  args: {},
  reply: z.tuple([z.string(), version]),
});

export const replaceRoutesScript = defineScript({
  name: "replace-routes",
  source: replaceRoutesSource,
  keys: ["queues", "routes", "audit"],
  args: { table: z.string(), ids: z.string(), seen: version, entry: z.string(), keep: z.number().int().positive() },
  reply: z.union([
    z.tuple([z.literal("replaced"), version]).transform(([outcome, replaced]) => ({ outcome, version: replaced })),
    z.tuple([z.literal("conflict")]).transform(([outcome]) => ({ outcome })),
    z.tuple([z.literal("unknown")], z.string()).transform(([outcome, ...queueIds]) => ({ outcome, queueIds })),
  ]),
});

export const revokeInviteScript = defineScript({
  name: "revoke-invite",
  source: revokeInviteSource,
  keys: ["meta", "invite"],
  args: { keepMs: z.number().int().positive() },
  reply: z.union([z.literal(0), z.literal(1)]),
});

const flag = z.union([z.literal(0), z.literal(1)]).transform((bit) => bit === 1);

export const listSessionsScript = defineScript({
  name: "list-sessions",
  source: listSessionsSource,
  keys: ["meta", "active", "ready"],
  args: { limit: z.number().int().positive(), lastEndMs: z.number().int().min(-1), lastId: z.string() },
  reply: z.union([
    z.tuple([z.literal("none")]).transform(() => undefined),
    z
      .tuple([z.literal("page"), flag], z.union([z.string(), z.number()]))
      .transform(([, hasMore, ...flat]) => ({ hasMore, flat })),
  ]),
});

export const readSessionScript = defineScript({
  name: "read-session",
  source: readSessionSource,
  keys: ["meta", "active", "ready"],
  args: { sessionId: z.string() },
  reply: z.union([
    z.tuple([z.enum(["none", "absent"])]).transform(([outcome]) => ({ outcome })),
    z
      .tuple([z.literal("found"), z.number(), flag])
      .transform(([outcome, expiresAtMs, isReserved]) => ({ outcome, expiresAtMs, isReserved })),
  ]),
});
