import type { Logger } from "pino";
import { assert } from "../../../shared/assert.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { LimitVerdict } from "../../../shared/http/limit.ts";
import type { FillRandom } from "../../../shared/ids.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import { type Database, UniqueViolation } from "../../db/database.ts";
import type { LateNotes } from "../../db/late-notes.ts";
import { type Actor, writeAudit } from "../admin/audit.ts";
import type { StoreLimits } from "../limits/store-limits.ts";
import type { AccessTokens } from "./access-tokens.ts";
import type { CopyAccount } from "./copy-account.ts";
import type { Passwords } from "./passwords.ts";
import type { RefreshTokens } from "./refresh-tokens.ts";
import type { Hide } from "./secrets.ts";
import type { OpenedSession, Sessions } from "./sessions.ts";
import type { SignInGuard } from "./sign-in-guard.ts";
import type { User } from "./user.ts";
import type { LoginName, UserCopies } from "./user-copies.ts";
import { changePasswordHash, insertUser } from "./user-queries.ts";
import { newUuid } from "./uuid.ts";

/**
 * Accounts, from registration to sign-in. PostgreSQL is the record and is written first. Sign-in and refresh read only
 * the copies in Redis, so they work while PostgreSQL is unavailable; registration and a new password do not.
 */
export type Accounts = {
  /** Creates an account without a session, for the command line; it is in the audit log. */
  readonly createBy: (actor: Actor, account: NewAccount) => Promise<Result<User, "account_exists">>;
  readonly register: (account: NewAccount, from: Place) => Promise<Result<SignedIn, "account_exists" | LimitVerdict>>;
  readonly login: (credentials: Credentials, from: Place) => Promise<Result<SignedIn, SignInRefusal>>;
  readonly refresh: (refreshToken: string) => Promise<Result<SignedIn, "refresh_token_invalid" | InactiveStatus>>;
  /**
   * The owner of a refresh token, before it is used: during maintenance an unusable token stays valid for afterwards.
   */
  readonly isAdmins: (refreshToken: string) => Promise<boolean>;
  /** Ends every session of the user and opens a new one. */
  readonly changePassword: (
    change: PasswordChange,
    from: Place,
  ) => Promise<Result<SignedIn, SignInRefusal | "conflict">>;
};

export type NewAccount = {
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly role?: User["role"];
};

export type Credentials = { readonly name: LoginName; readonly password: string };
export type PasswordChange = {
  readonly userId: string;
  readonly currentPassword: string;
  readonly newPassword: string;
};
/** The caller's address and user agent; `address` is one identity for all addresses of a household. */
export type Place = { readonly address: string; readonly userAgent: string };
export type SignInRefusal = "credentials_invalid" | InactiveStatus | LimitVerdict;
type InactiveStatus = Exclude<User["status"], "active">;

export type SignedIn = {
  readonly user: User;
  readonly accessToken: string;
  readonly expiresAt: number;
  readonly session: OpenedSession;
};

type AccountParts = {
  readonly database: Database;
  readonly copies: UserCopies;
  readonly copyAccount: CopyAccount;
  readonly loginNotes: LateNotes;
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly accessTokens: AccessTokens;
  readonly refreshTokens: RefreshTokens;
  readonly guard: SignInGuard;
  readonly limits: StoreLimits;
  readonly hide: Hide;
  readonly clock: Clock;
  readonly random: FillRandom;
  readonly log: Logger;
};

export function createAccounts(parts: AccountParts): Accounts {
  const { database, copies, copyAccount, loginNotes, passwords, sessions, accessTokens, refreshTokens } = parts;
  const { guard, limits, hide, clock, random, log } = parts;

  async function create(account: NewAccount, actor?: Actor): Promise<Result<User, "account_exists">> {
    const { username, email, password, role = "user" } = account;
    // Hashed before the name is looked up: both answers take equally long.
    const passwordHash = await passwords.hash(password);
    const values = { id: newUuid(random, clock.nowMs()), username, email, passwordHash, role };
    try {
      const user = await database.transaction(async (tx) => {
        const inserted = await insertUser.first(tx, values);
        assert(inserted !== undefined, "an insert gives its row");
        const entry = { action: "user.created", target: inserted.id, before: null, after: { username, role } } as const;
        if (actor !== undefined) await writeAudit(tx, { actor, ...entry });
        return inserted;
      });
      await copies.put(user);
      return ok(user);
    } catch (error) {
      if (error instanceof UniqueViolation) return fail("account_exists");
      throw error;
    }
  }

  async function openSession(user: User, userAgent: string): Promise<SignedIn> {
    const session = await sessions.open(user.id, userAgent);
    return { user, session, ...(await signFor(user, session)) };
  }

  function signFor(user: User, { sessionId, nowMs, refreshExpiresAtMs }: OpenedSession) {
    return accessTokens.sign({ userId: user.id, sessionId, nowMs, sessionEndsAtMs: refreshExpiresAtMs });
  }

  async function checkPassword(
    user: User | undefined,
    { name, password }: Credentials,
    place: Place,
  ): Promise<Result<User, SignInRefusal>> {
    const loginName = "username" in name ? name.username : name.email;
    const allowance = await guard.begin({ address: place.address, loginName, userId: user?.id });
    if (!allowance.isAllowed) return fail(allowance.verdict);
    const isRight = await passwords.isRight(password, user?.passwordHash);
    if (!isRight || user === undefined) return fail("credentials_invalid");
    await allowance.wasRight();
    return user.status === "active" ? ok(user) : fail(user.status);
  }

  /**
   * While a password is hashed, it may be changed, or its owner suspended, and all sessions ended: a session that is
   * opened afterwards must not stay. Another sign-in may have replaced an old kind of hash meanwhile, which is
   * harmless.
   */
  async function isStillSo(user: User): Promise<boolean> {
    const now = await copies.byId(user.id);
    return (
      now?.status === "active" && (now.passwordHash === user.passwordHash || passwords.isOutdated(user.passwordHash))
    );
  }

  /** In the background, after the answer; if PostgreSQL is unavailable, the next sign-in repeats it. */
  function replaceOutdated(user: User, password: string): void {
    const replace = async () => {
      const change = { id: user.id, hashBefore: user.passwordHash, hashAfter: await passwords.hash(password) };
      const replaced = await database.transaction((tx) => changePasswordHash.first(tx, change));
      if (replaced !== undefined) await copies.put(replaced);
    };
    replace().catch((error: unknown) =>
      log.warn({ err: error, userId: user.id }, "an outdated password hash could not be replaced"),
    );
  }

  return {
    createBy: (actor, account) => create(account, actor),

    async register(account, { address, userAgent }) {
      const verdict = await limits.take("register", hide(address));
      if (verdict.isOver) return fail(verdict);
      const created = await create(account);
      return created.ok ? ok(await openSession(created.value, userAgent)) : created;
    },

    async login(credentials, place) {
      const checked = await checkPassword(await copies.byName(credentials.name), credentials, place);
      if (!checked.ok) return checked;
      const signedIn = await openSession(checked.value, place.userAgent);
      if (!(await isStillSo(checked.value))) {
        await sessions.end({ userId: checked.value.id, sessionId: signedIn.session.sessionId });
        return fail("credentials_invalid");
      }
      loginNotes.note(checked.value.id, clock.nowMs());
      if (passwords.isOutdated(checked.value.passwordHash)) replaceOutdated(checked.value, credentials.password);
      return ok(signedIn);
    },

    async isAdmins(refreshToken) {
      const presented = refreshTokens.read(refreshToken);
      return presented !== undefined && (await copies.byId(presented.userId))?.role === "admin";
    },

    async refresh(refreshToken) {
      const presented = refreshTokens.read(refreshToken);
      if (presented === undefined) return fail("refresh_token_invalid");
      const user = await copies.byId(presented.userId);
      if (user !== undefined && user.status !== "active") return fail(user.status);
      const rotated = await sessions.rotate(presented);
      if (!rotated.ok && rotated.reason === "reused") {
        log.warn(
          { userId: presented.userId, sessionId: presented.sessionId },
          "a refresh token was used twice; its session was ended",
        );
      }
      if (!rotated.ok || user === undefined) return fail("refresh_token_invalid");
      return ok({ user, session: rotated.value, ...(await signFor(user, rotated.value)) });
    },

    async changePassword({ userId, currentPassword, newPassword }, place) {
      const user = await copies.byId(userId);
      const name = { username: user?.username ?? "" };
      const checked = await checkPassword(user, { name, password: currentPassword }, place);
      if (!checked.ok) return checked;
      const hashes = {
        id: userId,
        hashBefore: checked.value.passwordHash,
        hashAfter: await passwords.hash(newPassword),
      };
      const changed = await database.transaction((tx) => changePasswordHash.first(tx, hashes));
      if (changed === undefined) return fail("conflict");
      await copyAccount.andEndSessions(changed);
      return ok(await openSession(changed, place.userAgent));
    },
  };
}
