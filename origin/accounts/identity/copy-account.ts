import type { Passwords } from "./passwords.ts";
import type { Sessions } from "./sessions.ts";
import type { User } from "./user.ts";
import type { KnownCopy, UserCopies } from "./user-copies.ts";

/** Updates copies of accounts from the record, and ends the sessions that are no longer valid by the record. */
export type CopyAccount = {
  /** After a change that removes access. */
  readonly andEndSessions: (user: User) => Promise<void>;
  /**
   * For changes that another process may have made: outdated copies are written, and sessions of accounts with another
   * password or an inactive status are ended. `isWhole` also rewrites current copies, in case a part of one is missing.
   */
  readonly asInRecord: (users: readonly User[], options: { readonly isWhole: boolean }) => Promise<void>;
};

type CopyParts = {
  readonly copies: UserCopies;
  readonly sessions: Sessions;
  readonly passwords: Pick<Passwords, "isOutdated">;
};

export function createAccountCopy({ copies, sessions, passwords }: CopyParts): CopyAccount {
  /**
   * Twice: before the copy is written, so that a process that dies in between leaves a difference for the next pass to
   * find; and after it, for a session that was opened meanwhile under the old state.
   */
  async function andEndSessions(user: User): Promise<void> {
    await sessions.endAll(user.id);
    await copies.put(user);
    await sessions.endAll(user.id);
  }

  /** The user may be about to open a session with the new password: that one is kept. */
  async function andEndOlderSessions(user: User, seenAtMs: number): Promise<void> {
    await sessions.endAll(user.id, seenAtMs);
    await sessions.endAll(user.id, await copies.put(user));
  }

  /** Replacing an old kind of hash at a sign-in does not change the password. */
  function losesAccess(before: KnownCopy, { passwordHash, status }: User): boolean {
    const isNewPassword = before.passwordHash !== passwordHash && !passwords.isOutdated(before.passwordHash);
    return isNewPassword || (before.status === "active" && status !== "active");
  }

  return {
    andEndSessions,
    async asInRecord(users, { isWhole }) {
      const { known, atMs } = await copies.known(users.map(({ id }) => id));
      const work = users.map(async (user) => {
        const before = known.get(user.id);
        const isBehind = before === undefined || before.revision < user.revision;
        if (before !== undefined && isBehind && losesAccess(before, user)) await andEndOlderSessions(user, atMs);
        else if (isBehind || isWhole) await copies.put(user);
      });
      await Promise.all(work);
    },
  };
}
