import type { EngineState } from "./state.ts";
import type { User } from "./users.ts";

/**
 * How many commands a user has named, by the hour, as hour and number in turn. It follows from the commands only and not from which names are in memory:
 * so every engine refuses the same command. A day and the hours that it touches are at most 26.
 */
export type NamedByHour = number[];

/** A user's number of an hour: for loading. */
export type NameCount = { readonly user: string; readonly hour: number; readonly number: number };

/** A user who has used up their names of a day is refused; the others are not concerned. */
export function hasNamedAll({ references, bounds }: EngineState, user: User): boolean {
  return namesCounted(user, references.firstHour) >= bounds.namesPerUserMax;
}

function namesCounted({ namedByHour }: User, firstHour: number): number {
  let sum = 0;
  for (let at = 0; at < namedByHour.length; at += 2) if ((namedByHour[at] as number) >= firstHour) sum += namedByHour[at + 1] as number;
  return sum;
}

/** The user's number within the hour of one more. */
export function countName({ namedByHour }: User, { hour, firstHour }: { readonly hour: number; readonly firstHour: number }): number {
  while (namedByHour.length > 0 && (namedByHour[0] as number) < firstHour) namedByHour.splice(0, 2);
  const at = placeOf(namedByHour, hour);
  const number = (namedByHour[at + 1] ?? 0) + 1;
  namedByHour[at] = hour;
  namedByHour[at + 1] = number;
  return number;
}

/** Numbers are absolute: a row that is read twice, or after a later one, changes nothing. */
export function takeCount({ namedByHour }: User, { hour, number }: { readonly hour: number; readonly number: number }): void {
  if (number === 0) return;
  const at = placeOf(namedByHour, hour);
  namedByHour[at] = hour;
  namedByHour[at + 1] = Math.max(namedByHour[at + 1] ?? 0, number);
}

/** Of the hour, or behind the last one. */
function placeOf(namedByHour: NamedByHour, hour: number): number {
  let at = namedByHour.length - 2;
  while (at >= 0 && namedByHour[at] !== hour) at -= 2;
  return at >= 0 ? at : namedByHour.length;
}
