/** An expected outcome as a value: callers must look at `ok` before they can touch the rest. */
export type Result<Value, Failure> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: Failure };

export function ok<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

export function fail<const Failure>(reason: Failure): { readonly ok: false; readonly reason: Failure } {
  return { ok: false, reason };
}
