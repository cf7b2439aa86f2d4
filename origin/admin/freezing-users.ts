import { fail } from "../../shared/result.ts";
import type { Commands } from "../commands/commands.ts";
import type { UserAdmin } from "./user-admin.ts";

/**
 * Whoever is not active is frozen in the engine too: nothing of theirs that is still under way is placed or taken out. The record is
 * changed first, which alone keeps them from asking; if the engine cannot be told, the admin hears it and asks again, which does no harm.
 */
export function withFreezing(users: UserAdmin, commands: Commands): UserAdmin {
  return {
    ...users,
    async change(actor, userId, change) {
      const changed = await users.change(actor, userId, change);
      if (!changed.ok || change.status === undefined) return changed;
      const isFrozen = changed.value.status !== "active";
      const told = await commands.submit({ kind: "setUser", user: userId, isFrozen });
      return told.kind === "committed" && told.outcome.kind !== "rejected" ? changed : fail("engine_unavailable");
    },
  };
}
