/**
 * A list as PostgreSQL reads it, for a parameter of any array type. The driver rewrites each element twice, needed or not, which was a
 * fifth of the ledger's work.
 */
export function textArray(values: readonly string[]): string {
  return values.length === 0 ? "{}" : `{"${values.map(escaped).join('","')}"}`;
}

const SPECIAL = /["\\]/;
const ALL_SPECIAL = /["\\]/g;

function escaped(value: string): string {
  return SPECIAL.test(value) ? value.replace(ALL_SPECIAL, "\\$&") : value;
}
