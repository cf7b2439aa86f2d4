/** The auditor objects: a promise of the line was broken. */
export class Objection extends Error {}

export function insist(condition: boolean, objection: string): asserts condition {
  if (!condition) throw new Objection(objection);
}
