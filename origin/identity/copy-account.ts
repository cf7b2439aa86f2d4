import type { Passwords } from "./passwords.ts";
import type { Sessions } from "./sessions.ts";
import type { User } from "./user.ts";
import type { UserCopies } from "./user-copies.ts";

/** Brings the copy of an account up to the record, and ends the sessions that the record no longer stands behind. */
export type CopyAccount = {
  /** After a change that takes access away. */
  readonly andEndSessions: (user: User) => Promise<void>;
  /** After a change by somebody else: ends the sessions if the password is another one or the account is no longer active. */
  readonly asChanged: (user: User) => Promise<void>;
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
  function losesAccess(before: User, { passwordHash, status }: User): boolean {
    const isNewPassword = before.passwordHash !== passwordHash && !passwords.isOutdated(before.passwordHash);
    return isNewPassword || (before.status === "active" && status !== "active");
  }

  return {
    andEndSessions,
    async asChanged(user) {
      const { user: before, atMs } = await copies.read(user.id);
      const isLater = before !== undefined && before.revision < user.revision;
      await (isLater && losesAccess(before, user) ? andEndOlderSessions(user, atMs) : copies.put(user));
    },
  };
}
