import type { MovementRow } from "../engine/changes.ts";
import { decimal } from "./decimal.ts";
import type { Grids } from "./grids.ts";
import { movementsKey } from "./keys.ts";

/** Of a user, so many can be listed from Redis: two of the longest pages, at most 60 kB. PostgreSQL has the rest. */
export const USER_MOVEMENTS_MAX = 200;

type List = { readonly key: string; readonly texts: readonly string[]; readonly cut: readonly ["LTRIM", string, 0, number] };

type Projected = {
  readonly grids: Grids;
  /** The journal entry that these rows stand at: the ledger has them once it has that entry. */
  readonly sequence: number;
};

/** Each movement in the list of everybody whose money it moved, the newest first. They are rare, so lists are cut every time. */
export function movementLists(movements: readonly MovementRow[], { grids, sequence }: Projected): readonly List[] {
  const texts = new Map<string, string[]>();
  for (const movement of movements) {
    const { commandId: id, kind, currency, reference, at } = movement;
    const amount = decimal(movement.amount, grids.scaleOf(currency));
    for (const direction of ["out", "in"] as const) {
      const user = direction === "out" ? movement.from : movement.to;
      if (user === "") continue;
      const key = movementsKey(user);
      const ofUser = texts.get(key) ?? [];
      texts.set(key, ofUser);
      ofUser.push(JSON.stringify({ id, kind, direction, currency, amount, reference, at, sequence }));
    }
  }
  return [...texts].map(([key, list]) => ({ key, texts: list, cut: ["LTRIM", key, 0, USER_MOVEMENTS_MAX - 1] }));
}
