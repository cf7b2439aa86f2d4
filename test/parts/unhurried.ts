import { STORE_TIMEOUT_MS } from "../../edge/store/store-patience.ts";

/**
 * For tests that are not about a slow store: a machine that is shared can stand still for longer than the gate lets its store, and
 * what they look at must not depend on it. `STORE_TIMEOUT_MS` among a test's own variables comes before.
 */
export const UNHURRIED_MS = 30_000;
export const UNHURRIED = { STORE_TIMEOUT_MS: String(UNHURRIED_MS) } as const;
/** For tests that are: as it is unless told otherwise. */
export const HURRIED = { STORE_TIMEOUT_MS: String(STORE_TIMEOUT_MS) } as const;
