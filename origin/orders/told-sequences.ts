/**
 * How far each user was told that things have gone, so that what they read next is not older. In this process alone: a client that may
 * meet another one sends the `venue-sequence` header of its last answer along.
 */
export type ToldSequences = {
  readonly tell: (userId: string, sequence: number) => void;
  readonly of: (userId: string) => number;
};

/** Some 100 bytes each. Of whom is forgotten, the latest that any of them was told is assumed: they wait too long rather than too short. */
const USERS_MAX = 20_000;

export function createToldSequences(usersMax = USERS_MAX): ToldSequences {
  const told = new Map<string, number>();
  let forgotten = 0;
  return {
    tell(userId, sequence) {
      const known = told.get(userId) ?? 0;
      told.delete(userId);
      told.set(userId, Math.max(known, sequence));
      if (told.size <= usersMax) return;
      const [oldest] = told;
      if (oldest === undefined) return;
      told.delete(oldest[0]);
      forgotten = Math.max(forgotten, oldest[1]);
    },
    of: (userId) => told.get(userId) ?? forgotten,
  };
}
