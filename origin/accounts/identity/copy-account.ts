import type { Passwords } from "./passwords.ts";
import type { Sessions } from "./sessions.ts";
import type { User } from "./user.ts";
import type { KnownCopy, UserCopies } from "./user-copies.ts";

/** Brings copies of accounts up to the record, and ends the sessions that the record no longer stands behind. */
export type CopyAccount = {
  /** After a change that takes access away. */
  readonly andEndSessions: (user: User) => Promise<void>;
  /**
   * Where somebody else may have made the change: what is behind is written, and the sessions of whoever has another password or is
   * no longer active are ended. `isWhole` writes what is up to date too, in case a part of it is missing.
   */
  readonly asInRecord: (users: readonly User[], options: { readonly isWhole: boolean }) => Promise<void>;
};

type CopyParts = { readonly copies: UserCopies; readonly sessions: Sessions; readonly passwords: Pick<Passwords, "isOutdated"> };

export function createAccountCopy({ copies, sessions, passwords }: CopyParts): CopyAccount {
  /**
   * Twice: before the copy is written, so that a process that dies in between leaves a difference for the next look to find; and after it,
   * for a session that was opened meanwhile with what held before.
   */
  async function andEndSessions(user: User): Promise<void> {
    await sessions.endAll(user.id);
    await copies.put(user);
    await sessions.endAll(user.id);
  }

  /** Whoever made the change may be about to open a session with the new password: that one stays. */
  async function andEndOlderSessions(user: User, seenAtMs: number): Promise<void> {
    await sessions.endAll(user.id, seenAtMs);
    await sessions.endAll(user.id, await copies.put(user));
  }

  /** An old kind of hash that is replaced at a sign-in is the same password. */
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
