import { z } from "zod";
import { fail, ok, type Result } from "../../../shared/result.ts";
import type { Commands, Submitted } from "../../commit/submit/commands.ts";
import type { Database } from "../../db/database.ts";
import { defineQuery } from "../../db/define-query.ts";
import type { CopyAccount } from "../identity/copy-account.ts";
import type { Sessions } from "../identity/sessions.ts";
import { type User, userRowSchema } from "../identity/user.ts";
import type { UserCopies } from "../identity/user-copies.ts";
import { type Actor, type AuditOutcome, writeAudit, writeIntent } from "./audit.ts";
import { type Audited, DONE, INTERRUPTED, outcomeOfSubmitted } from "./audited.ts";
import changeUserSource from "./change-user.sql";
import listUsersSource from "./list-users.sql";
import lockAdminsSource from "./lock-active-admins.sql";
import readUserSource from "./read-user.sql";

/**
 * Admins' changes to accounts. Each change is in the audit log, in the same transaction, and applies from the next
 * request. Freezing in the engine and ending sessions happen after it and are in the outcome of the same entry.
 */
export type UserAdmin = {
  readonly list: (page: UserPage) => Promise<readonly User[]>;
  readonly read: (userId: string) => Promise<User | undefined>;
  readonly change: (actor: Actor, userId: string, change: UserChange) => Promise<Result<User, ChangeRefusal>>;
  readonly endSessions: (actor: Actor, userId: string) => Promise<Result<undefined, "user_not_found">>;
};

/** `engine_unavailable`: the account was changed, but the engine was not reached. */
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
const changeUser = defineQuery({
  name: "change-user",
  source: changeUserSource,
  params: ["id", "role", "status"],
  row,
});
const lockActiveAdmins = defineQuery({
  name: "lock-active-admins",
  source: lockAdminsSource,
  params: [],
  row: z.object({ id: z.string() }),
});

type AdminParts = {
  readonly database: Database;
  readonly copies: UserCopies;
  readonly copyAccount: CopyAccount;
  readonly sessions: Sessions;
  readonly audited: Pick<Audited, "finish">;
  readonly freeze: Freeze;
};

export function createUserAdmin({ database, copies, copyAccount, sessions, audited, freeze }: AdminParts): UserAdmin {
  /** The steps after the record is changed; the entry gets their outcome. */
  async function complete<End>(
    entryId: number | undefined,
    act: () => Promise<readonly [AuditOutcome, End]>,
  ): Promise<End> {
    let outcome = INTERRUPTED;
    try {
      const [known, end] = await act();
      outcome = known;
      return end;
    } finally {
      if (entryId !== undefined) await audited.finish(entryId, outcome);
    }
  }

  return {
    list: ({ search, ...page }) =>
      listUsers.all(database, { ...page, prefix: search === null ? null : `${withoutWildcards(search)}%` }),
    read: (userId) => readUser.first(database, { id: userId }),

    async change(actor, userId, { role, status }) {
      // A new status also changes the engine.
      const writeEntry = status === undefined ? writeAudit : writeIntent;
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
        const entry = { actor, action: "user.changed", target: userId, before: was, after } as const;
        return ok({ user: changed, entryId: await writeEntry(tx, entry) });
      });
      if (!outcome.ok) return outcome;
      const { user, entryId } = outcome.value;
      return complete<Result<User, ChangeRefusal>>(entryId, async () => {
        await (user.status === "active" ? copies.put(user) : copyAccount.andEndSessions(user));
        if (status === undefined) return [DONE, ok(user)];
        const told = outcomeOfSubmitted(await freeze(user));
        return [told, told.state === "done" ? ok(user) : fail("engine_unavailable")];
      });
    },

    async endSessions(actor, userId) {
      const entryId = await database.transaction(async (tx) => {
        const user = await readUser.first(tx, { id: userId });
        const entry = { actor, action: "user.sessions_ended", target: userId, before: null, after: null } as const;
        return user === undefined ? undefined : writeIntent(tx, entry);
      });
      if (entryId === undefined) return fail("user_not_found");
      return complete(entryId, async () => {
        await sessions.endAll(userId);
        return [DONE, ok(undefined)];
      });
    },
  };
}

/** The search is for a text, not a pattern. */
function withoutWildcards(text: string): string {
  return text.toLowerCase().replaceAll(/[\\%_]/g, "\\$&");
}

/**
 * An account that is not active is frozen in the engine too, so that none of its pending requests places an order or
 * withdraws. The record is changed first, which already keeps the user out; if the engine is not reached, the admin
 * repeats the request, which is harmless.
 */
type Freeze = (user: User) => Promise<Submitted>;

export function createFreezing(commands: Commands): Freeze {
  return ({ id, status }) => commands.submit({ kind: "setUser", user: id, isFrozen: status !== "active" });
}
