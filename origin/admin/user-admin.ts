import { z } from "zod";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { Database } from "../db/database.ts";
import { defineQuery } from "../db/define-query.ts";
import type { Sessions } from "../identity/sessions.ts";
import { type User, userRowSchema } from "../identity/user.ts";
import type { UserCopies } from "../identity/user-copies.ts";
import { type Actor, writeAudit } from "./audit.ts";
import changeUserSource from "./change-user.sql";
import listUsersSource from "./list-users.sql";
import lockAdminsSource from "./lock-active-admins.sql";
import readUserSource from "./read-user.sql";

/** What admins do to accounts. Each change stands in the audit log, in the same transaction, and holds with the next request. */
export type UserAdmin = {
  readonly list: (page: UserPage) => Promise<readonly User[]>;
  readonly read: (userId: string) => Promise<User | undefined>;
  readonly change: (actor: Actor, userId: string, change: UserChange) => Promise<Result<User, ChangeRefusal>>;
  readonly endSessions: (actor: Actor, userId: string) => Promise<Result<undefined, "user_not_found">>;
};

/** `engine_unavailable`: changed, and the engine could not be told. */
type ChangeRefusal = "user_not_found" | "last_admin" | "engine_unavailable";

export type UserPage = {
  readonly beforeId: string | null;
  readonly search: string | null;
  readonly role: User["role"] | null;
  readonly status: User["status"] | null;
  readonly limit: number;
};

export type UserChange = { readonly role?: User["role"] | undefined; readonly status?: User["status"] | undefined };

const row = userRowSchema;
const listUsers = defineQuery({
  name: "list-users",
  source: listUsersSource,
  params: ["beforeId", "prefix", "role", "status", "limit"],
  row,
});
const readUser = defineQuery({ name: "read-user", source: readUserSource, params: ["id"], row });
const changeUser = defineQuery({ name: "change-user", source: changeUserSource, params: ["id", "role", "status"], row });
const lockActiveAdmins = defineQuery({
  name: "lock-active-admins",
  source: lockAdminsSource,
  params: [],
  row: z.object({ id: z.string() }),
});

type AdminParts = { readonly database: Database; readonly copies: UserCopies; readonly sessions: Sessions };

export function createUserAdmin({ database, copies, sessions }: AdminParts): UserAdmin {
  return {
    list: ({ search, ...page }) => listUsers.all(database, { ...page, prefix: search === null ? null : `${withoutWildcards(search)}%` }),
    read: (userId) => readUser.first(database, { id: userId }),

    async change(actor, userId, { role, status }) {
      const outcome = await database.transaction(async (tx) => {
        const admins = await lockActiveAdmins.all(tx, {});
        const before = await readUser.first(tx, { id: userId });
        if (before === undefined) return fail("user_not_found");
        const after = { role: role ?? before.role, status: status ?? before.status };
        const staysAdmin = after.role === "admin" && after.status === "active";
        if (!staysAdmin && admins.length === 1 && admins[0]?.id === userId) return fail("last_admin");
        const changed = await changeUser.first(tx, { id: userId, ...after });
        if (changed === undefined) return fail("user_not_found");
        const was = { role: before.role, status: before.status };
        await writeAudit(tx, { actor, action: "user.changed", target: userId, before: was, after });
        return ok(changed);
      });
      if (!outcome.ok) return outcome;
      await copies.put(outcome.value);
      if (outcome.value.status !== "active") await sessions.endAll(userId);
      return outcome;
    },

    async endSessions(actor, userId) {
      const found = await database.transaction(async (tx) => {
        const user = await readUser.first(tx, { id: userId });
        if (user !== undefined) await writeAudit(tx, { actor, action: "user.sessions_ended", target: userId, before: null, after: null });
        return user !== undefined;
      });
      if (!found) return fail("user_not_found");
      await sessions.endAll(userId);
      return ok(undefined);
    },
  };
}

/** What is searched for is a text, not a pattern. */
function withoutWildcards(text: string): string {
  return text.toLowerCase().replaceAll(/[\\%_]/g, "\\$&");
}
