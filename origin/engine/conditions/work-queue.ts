import type { EngineState } from "../state.ts";
import { type List, touchList } from "./list.ts";
import type { Wave } from "./triggers.ts";

/**
 * Work that follows from a command and runs after it, in the order in which it came up: waves of triggers, and lists
 * whose working order was filled. Each command does a bounded part; the rest stays here and is journalled with the
 * pairs and lists, so that a crash in between loses nothing and runs nothing twice.
 */
export type WorkQueue = (Wave | List)[];

/** It follows from what waits, and from nothing that is forgotten. */
export function nextPlace({ work }: EngineState): number {
  return (work.at(-1)?.as ?? 0) + 1;
}

export function queueList(state: EngineState, list: List): void {
  if (list.as !== 0) return;
  list.as = nextPlace(state);
  state.work.push(list);
  touchList(state, list);
}

export function unqueueList(state: EngineState, list: List): void {
  if (list.as === 0) return;
  list.as = 0;
  state.work.splice(state.work.indexOf(list), 1);
  touchList(state, list);
}
