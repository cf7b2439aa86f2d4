import type { Redis } from "ioredis";
import { z } from "zod";
import { defineScript } from "../../../shared/store/define-script.ts";
import { replies } from "../../redis/pipeline.ts";
import { scriptRunner } from "../../redis/script-runner.ts";
import { ALL_USERS_KEY, emailKey, roleKey, userKey, usernameKey } from "./keys.ts";
import putUserSource from "./put-user.lua";
import { USER_ROLES, USER_STATUSES, type User } from "./user.ts";

/**
 * The copies of accounts in Redis that serve every sign-in and every request, so that neither needs PostgreSQL. The
 * record is written first, then the copy; `keep-copies.ts` repairs outdated and missing copies.
 */
export type UserCopies = {
  /** Returns when it was written, by Redis' clock. */
  readonly put: (user: User) => Promise<number>;
  readonly remove: (userId: string) => Promise<void>;
  readonly byId: (userId: string) => Promise<User | undefined>;
  /** The copies of these accounts, and the time of the reading by Redis' clock. */
  readonly known: (
    userIds: readonly string[],
  ) => Promise<{ readonly known: ReadonlyMap<string, KnownCopy>; readonly atMs: number }>;
  readonly byName: (name: LoginName) => Promise<User | undefined>;
};

export type KnownCopy = { readonly revision: number; readonly passwordHash: string; readonly status: string };

export type LoginName = { readonly username: string } | { readonly email: string };

/** No account has this id. It is read when a name is unknown, so that known and unknown names take equally long. */
const NOBODY_ID = "00000000-0000-0000-0000-000000000000";

const putUser = defineScript({
  name: "put-user",
  source: putUserSource,
  keys: ["user"],
  args: {
    revision: z.int(),
    id: z.string(),
    username: z.string(),
    email: z.string(),
    passwordHash: z.string(),
    role: z.string(),
    status: z.string(),
    createdAt: z.number(),
    updatedAt: z.number(),
    lastLoginAt: z.union([z.number(), z.literal("")]),
  },
  reply: z.int(),
});

const number = z.string().regex(/^\d+$/).transform(Number);

const copySchema = z
  .object({
    id: z.string(),
    username: z.string(),
    email: z.string(),
    password_hash: z.string(),
    role: z.enum(USER_ROLES),
    status: z.enum(USER_STATUSES),
    revision: number,
    created_at: number,
    updated_at: number,
    last_login_at: z.union([z.literal("").transform(() => null), number]),
  })
  .transform((copy): User => {
    const {
      password_hash: passwordHash,
      created_at: createdAt,
      updated_at: updatedAt,
      last_login_at: lastLoginAt,
      ...rest
    } = copy;
    return { ...rest, passwordHash, createdAt, updatedAt, lastLoginAt };
  });

const timeSchema = z.tuple([z.coerce.number(), z.coerce.number()]);
const knownSchema = z.tuple([number, z.string(), z.string()]);

/** The reply of HGETALL: empty when there is no such user. */
export function readUserCopy(copy: unknown): User | undefined {
  if (typeof copy !== "object" || copy === null || Object.keys(copy).length === 0) return undefined;
  return copySchema.parse(copy);
}

export function openUserCopies(redis: Redis): UserCopies {
  const runner = scriptRunner(redis);

  /** Indexes are written last: a name always leads to a complete copy. */
  async function put(user: User): Promise<number> {
    const putAtMs = await putUser.run(runner, {
      keys: { user: userKey(user.id) },
      args: { ...user, lastLoginAt: user.lastLoginAt ?? "" },
    });
    const pipeline = redis.pipeline();
    for (const role of USER_ROLES) {
      if (role === user.role) pipeline.sadd(roleKey(role), user.id);
      else pipeline.srem(roleKey(role), user.id);
    }
    pipeline.sadd(ALL_USERS_KEY, user.id);
    pipeline.set(usernameKey(user.username), user.id).set(emailKey(user.email), user.id);
    await replies(pipeline);
    return putAtMs;
  }

  async function remove(userId: string): Promise<void> {
    const user = await byId(userId);
    const pipeline = redis.pipeline();
    for (const role of USER_ROLES) pipeline.srem(roleKey(role), userId);
    if (user !== undefined) pipeline.del(usernameKey(user.username)).del(emailKey(user.email));
    await replies(pipeline.del(userKey(userId)).srem(ALL_USERS_KEY, userId));
  }

  async function byId(userId: string): Promise<User | undefined> {
    return readUserCopy(await redis.hgetall(userKey(userId)));
  }

  async function known(userIds: readonly string[]) {
    const pipeline = redis.pipeline().time();
    for (const userId of userIds) pipeline.hmget(userKey(userId), "revision", "password_hash", "status");
    const [time, ...copies] = await replies(pipeline);
    const [seconds, micros] = timeSchema.parse(time);
    const found = copies.flatMap((copy, index) => {
      const { success, data } = knownSchema.safeParse(copy);
      if (!success) return [];
      const [revision, passwordHash, status] = data;
      return [[userIds[index] ?? "", { revision, passwordHash, status }] as const];
    });
    return { known: new Map<string, KnownCopy>(found), atMs: seconds * 1000 + Math.floor(micros / 1000) };
  }

  async function byName(name: LoginName): Promise<User | undefined> {
    const userId = await redis.get("username" in name ? usernameKey(name.username) : emailKey(name.email));
    return byId(userId ?? NOBODY_ID);
  }

  return { put, remove, byId, known, byName };
}
