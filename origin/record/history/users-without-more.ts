/**
 * Users of whom PostgreSQL has nothing beyond what Redis has. Only a restored or upgraded store needs to know: its lists may be incomplete, and a look into
 * PostgreSQL tells. Nothing old is ever added, so one look is enough; after it, what is recent is read from Redis alone again.
 */
export type UsersWithoutMore = { readonly has: (user: string) => boolean; readonly add: (user: string) => void };

/** Some 100 bytes each. A user who is no longer remembered costs one more look. */
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
