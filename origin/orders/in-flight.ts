/** How many commands of one user are under way at a time, so that nobody fills the stream before the engine alone. */
export type InFlight = {
  /** False when they would be too many: then nothing was taken. */
  readonly take: (userId: string, count: number) => boolean;
  readonly giveBack: (userId: string, count: number) => void;
};

export function createInFlight(perUserMax: number): InFlight {
  const counts = new Map<string, number>();
  return {
    take(userId, count) {
      const after = (counts.get(userId) ?? 0) + count;
      if (after > perUserMax) return false;
      counts.set(userId, after);
      return true;
    },
    giveBack(userId, count) {
      const after = (counts.get(userId) ?? 0) - count;
      if (after > 0) counts.set(userId, after);
      else counts.delete(userId);
    },
  };
}
