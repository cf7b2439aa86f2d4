/**
 * States what cannot happen. A failure is a bug in Sluice, never a user's mistake, so its message is for developers.
 */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** The end of an exhaustive switch: the compiler refuses the call while a case is missing. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${String(value)}`);
}

export class AssertionError extends Error {
  override readonly name = "AssertionError";
}
