/**
 * The host part of a route, as the source of a regular expression: `*`, `shop.test`, `*.shop.test` or `[2001:db8::1]`,
 * all but the first with or without a port. Passes carry the same texts, so both halves read them by the same rule.
 */
export const HOST_PATTERN = String.raw`(?:\*|(?:(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?)`;
