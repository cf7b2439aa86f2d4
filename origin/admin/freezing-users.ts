import type { Commands, Submitted } from "../commands/commands.ts";
import type { User } from "../identity/user.ts";

/**
 * Whoever is not active is frozen in the engine too: nothing of theirs that is still under way is placed or taken out. The record is
 * changed first, which alone keeps them from asking; if the engine cannot be told, the admin hears it and asks again, which does no harm.
 */
export type Freeze = (user: User) => Promise<Submitted>;

export function createFreezing(commands: Commands): Freeze {
  return ({ id, status }) => commands.submit({ kind: "setUser", user: id, isFrozen: status !== "active" });
}
