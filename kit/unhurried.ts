import { STORE_TIMEOUT_MS } from "../edge/store/store-patience.ts";

/**
 * For tests that are not about a slow store: a shared machine can stop for longer than the gate's store timeout, and
 * their results must not depend on it. A test's own `STORE_TIMEOUT_MS` takes precedence.
 */
export const UNHURRIED_MS = 30_000;
export const UNHURRIED = { STORE_TIMEOUT_MS: String(UNHURRIED_MS) } as const;
/** For tests that are: the default. */
export const HURRIED = { STORE_TIMEOUT_MS: String(STORE_TIMEOUT_MS) } as const;
