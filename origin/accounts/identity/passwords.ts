import { hash, verify } from "@node-rs/argon2";
import { verify as verifyBcrypt } from "@node-rs/bcrypt";
import { z } from "zod";
import { COMMON_PASSWORDS } from "./common-passwords.ts";

/** The library exports its names as a const enum, which only a compiler can read. */
const ALGORITHM_ARGON2ID = 2;
/** OWASP's first recommendation for Argon2id: 19 MiB, two passes, one lane. */
const ARGON2ID = { algorithm: ALGORITHM_ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const CURRENT = "$argon2id$v=19$m=19456,t=2,p=1$";
const BCRYPT = /^\$2[aby]\$/;

const PASSWORD_CHARS_MIN = 12;
const PASSWORD_CHARS_MAX = 128;
const DISTINCT_CHARS_MIN = 4;

/** One normal form for what different keyboards produce (NIST SP 800-63B, 3.1.1.2). */
const typedPassword = z
  .string()
  .max(PASSWORD_CHARS_MAX * 2, `must have at most ${PASSWORD_CHARS_MAX} characters`)
  .normalize("NFKC");

/** A password at sign-in: any text, because an old password may break the rules of today. */
export const presentedPasswordField = typedPassword;

export const newPasswordField = typedPassword
  .refine((text) => countOf(text) >= PASSWORD_CHARS_MIN, `must have at least ${PASSWORD_CHARS_MIN} characters`)
  .refine((text) => countOf(text) <= PASSWORD_CHARS_MAX, `must have at most ${PASSWORD_CHARS_MAX} characters`)
  .refine((text) => new Set(text).size >= DISTINCT_CHARS_MIN, "must not repeat a few characters")
  .refine((text) => !COMMON_PASSWORDS.has(text.toLowerCase()), "is one of the most common passwords")
  .meta({ type: "string", minLength: PASSWORD_CHARS_MIN, maxLength: PASSWORD_CHARS_MAX });

function countOf(text: string): number {
  return [...text].length;
}

/** Hashing is the most expensive operation that a stranger can request, so the queue is bounded. */
export class PasswordsBusy extends Error {
  override readonly name = "PasswordsBusy";
}

export type Passwords = {
  readonly hash: (password: string) => Promise<string>;
  /** Without a hash it takes as long and fails: an account that does not exist looks like one that does. */
  readonly isRight: (password: string, hash: string | undefined) => Promise<boolean>;
  /** Whether a hash should be replaced now that the password is known. */
  readonly isOutdated: (hash: string) => boolean;
};

/** A pool of four threads does some 50 a second; a longer queue would outlast the callers' patience. */
const WAITING_MAX = 100;

export async function createPasswords({ waitingMax = WAITING_MAX } = {}): Promise<Passwords> {
  const nobodys = await hash("no account has this password", ARGON2ID);
  let waiting = 0;

  async function inLine<Result>(work: () => Promise<Result>): Promise<Result> {
    if (waiting >= waitingMax) throw new PasswordsBusy(`${waitingMax} passwords are waiting to be hashed`);
    waiting++;
    try {
      return await work();
    } finally {
      waiting--;
    }
  }

  return {
    hash: (password) => inLine(() => hash(password, ARGON2ID)),
    isRight: (password, known) =>
      inLine(async () => {
        const isSame = await (BCRYPT.test(known ?? "")
          ? verifyBcrypt(password, known ?? "")
          : verify(known ?? nobodys, password));
        return isSame && known !== undefined;
      }),
    isOutdated: (known) => !known.startsWith(CURRENT),
  };
}
