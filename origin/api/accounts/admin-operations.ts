import { z } from "zod";
import { type Actor, AUDIT_STATES, listAudit } from "../../accounts/admin/audit.ts";
import type { UserAdmin } from "../../accounts/admin/user-admin.ts";
import { publicUser, publicUserSchema, USER_ROLES, USER_STATUSES } from "../../accounts/identity/user.ts";
import type { Database } from "../../db/database.ts";
import { adminOperation, type Caller, type Identity, type VenueOperation } from "../operation.ts";
import { answerSchemas, bodySchemas } from "../schemas.ts";

const PAGE_MAX = 100;
const PAGE_DEFAULT = 50;

const userIdField = z.uuid("must be a user's id");
const userParams = z.strictObject({ userId: userIdField });

const limitField = z
  .string()
  .refine(
    (text) => /^[1-9]\d{0,2}$/.test(text) && Number(text) <= PAGE_MAX,
    `must be a whole number from 1 to ${PAGE_MAX}`,
  )
  .default(String(PAGE_DEFAULT))
  .meta({ type: "integer", minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT });

const userPageSchema = z
  .strictObject({
    users: z.array(publicUserSchema),
    nextCursor: z.string().nullable().describe("null on the last page."),
  })
  .register(answerSchemas, { id: "UserPage" });

const userChangeSchema = z
  .strictObject({ role: z.enum(USER_ROLES).optional(), status: z.enum(USER_STATUSES).optional() })
  .refine(({ role, status }) => (role ?? status) !== undefined, "must name a role or a status")
  .register(bodySchemas, { id: "UserChange" });

const facts = z.record(z.string(), z.unknown()).nullable();

const auditPageSchema = z
  .strictObject({
    entries: z.array(
      z.strictObject({
        id: z.number(),
        at: z.int(),
        actor: z.string(),
        action: z.string(),
        target: z.string(),
        before: facts,
        after: facts,
        requestId: z.string().nullable(),
        outcome: z.enum(AUDIT_STATES).describe("The outcome; `unknown` may still be settled."),
        reason: z.string().nullable().describe("The code of a refusal, or why the outcome is unknown."),
      }),
    ),
    nextCursor: z.string().nullable(),
  })
  .register(answerSchemas, { id: "AuditPage" });

export function actorOf({
  identity,
  requestId,
}: {
  readonly identity: Identity;
  readonly requestId: Caller["requestId"];
}): Actor {
  return { id: identity.user.id, name: identity.user.username, requestId: requestId ?? null };
}

const CHANGED_BUT_NOT_FROZEN = "The account was changed, but the engine was not reached. Repeat the request.";

export function adminOperations({
  users,
  database,
}: {
  readonly users: UserAdmin;
  readonly database: Database;
}): readonly VenueOperation[] {
  return [
    adminOperation({
      method: "get",
      path: "/admin/users",
      id: "listUsers",
      summary: "Accounts, the newest first; search by the beginning of a name or an address",
      limit: "admin",
      query: z.strictObject({
        search: z.string().trim().min(1).max(254).optional(),
        role: z.enum(USER_ROLES).optional(),
        status: z.enum(USER_STATUSES).optional(),
        cursor: z.uuid("must be the nextCursor of a page").optional(),
        limit: limitField,
      }),
      answers: { 200: { description: "One page.", schema: userPageSchema } },
      refusals: ["database_unavailable"],
      async run({ answer }, { query: { search, role, status, cursor, limit } }) {
        const page = { beforeId: cursor ?? null, search: search ?? null, role: role ?? null, status: status ?? null };
        const found = await users.list({ ...page, limit: Number(limit) + 1 });
        const shown = found.slice(0, Number(limit));
        return answer(200, {
          users: shown.map(publicUser),
          nextCursor: found.length > shown.length ? (shown.at(-1)?.id ?? null) : null,
        });
      },
    }),
    adminOperation({
      method: "get",
      path: "/admin/users/{userId}",
      id: "readUser",
      summary: "One account",
      limit: "admin",
      params: userParams,
      answers: { 200: { description: "Its current state.", schema: publicUserSchema } },
      refusals: ["user_not_found", "database_unavailable"],
      async run({ answer, refuse }, { params: { userId } }) {
        const user = await users.read(userId);
        return user === undefined ? refuse("user_not_found") : answer(200, publicUser(user));
      },
    }),
    adminOperation({
      method: "patch",
      path: "/admin/users/{userId}",
      id: "changeUser",
      summary:
        "Change a role or status, from the next request on; an inactive account loses its sessions and is frozen in the engine",
      limit: "admin",
      params: userParams,
      body: { schema: userChangeSchema },
      answers: { 200: { description: "Changed.", schema: publicUserSchema } },
      refusals: ["user_not_found", "last_admin", "engine_unavailable", "database_unavailable"],
      async run(caller, { params: { userId }, body }) {
        const changed = await users.change(actorOf(caller), userId, body);
        if (changed.ok) return caller.answer(200, publicUser(changed.value));
        return caller.refuse(
          changed.reason,
          changed.reason === "engine_unavailable" ? { detail: CHANGED_BUT_NOT_FROZEN } : {},
        );
      },
    }),
    adminOperation({
      method: "delete",
      path: "/admin/users/{userId}/sessions",
      id: "endUserSessions",
      summary: "End all sessions of an account",
      limit: "admin",
      params: userParams,
      answers: { 204: { description: "Ended immediately, in every process." } },
      refusals: ["user_not_found", "database_unavailable"],
      async run(caller, { params: { userId } }) {
        const ended = await users.endSessions(actorOf(caller), userId);
        return ended.ok ? caller.answer(204) : caller.refuse(ended.reason);
      },
    }),
    adminOperation({
      method: "get",
      path: "/admin/audit",
      id: "readAudit",
      summary: "The audit log of admins' changes, the newest first",
      limit: "admin",
      query: z.strictObject({
        target: z.string().min(1).max(100).optional(),
        actor: z.string().min(1).max(100).optional(),
        cursor: z
          .string()
          .regex(/^[1-9]\d{0,14}$/, "must be the nextCursor of a page")
          .optional(),
        limit: limitField,
      }),
      answers: { 200: { description: "One page.", schema: auditPageSchema } },
      refusals: ["database_unavailable"],
      async run({ answer }, { query: { target, actor, cursor, limit } }) {
        const found = await listAudit.all(database, {
          beforeId: cursor ?? null,
          target: target ?? null,
          actor: actor ?? null,
          limit: Number(limit) + 1,
        });
        const entries = found.slice(0, Number(limit));
        return answer(200, { entries, nextCursor: found.length > entries.length ? String(entries.at(-1)?.id) : null });
      },
    }),
  ];
}
