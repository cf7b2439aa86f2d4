/**
 * Waits for a part by its progress and not by a clock: a start that takes an hour and moves is waited for, one that hangs is given up. Only news
 * count: a part that begins again and again, and comes to the same point each time, does not move.
 */
export type Patience = {
  /** What the part says of itself. True if it has not said so before. */
  readonly hear: (progress: string) => boolean;
  readonly isOver: () => boolean;
  /** What was said last, for the sentence about giving up. */
  readonly last: () => string;
};

export function createPatience(stillMsMax: number, nowMs: () => number = () => performance.now()): Patience {
  const said = new Set<string>();
  let last = "";
  let movedAtMs = nowMs();
  return {
    hear(progress) {
      last = progress;
      if (progress === "" || said.has(progress)) return false;
      said.add(progress);
      movedAtMs = nowMs();
      return true;
    },
    isOver: () => nowMs() - movedAtMs >= stillMsMax,
    last: () => last,
  };
}
