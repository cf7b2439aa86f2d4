/**
 * Users for whom PostgreSQL has nothing older than Redis. Only a restored or upgraded store needs this: its lists may
 * be incomplete, and one query to PostgreSQL decides. Nothing old is ever added, so one query is enough; afterwards
 * recent data is read from Redis only.
 */
export type UsersWithoutMore = { readonly has: (user: string) => boolean; readonly add: (user: string) => void };

/** About 100 bytes each. An evicted user costs one more query. */
const USERS_MAX = 20_000;

export function createUsersWithoutMore(usersMax = USERS_MAX): UsersWithoutMore {
  const users = new Set<string>();
  return {
    has: (user) => users.has(user),
    add(user) {
      users.add(user);
      const [oldest] = users;
      if (users.size > usersMax && oldest !== undefined) users.delete(oldest);
    },
  };
}
