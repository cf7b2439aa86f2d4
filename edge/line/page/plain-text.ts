/**
 * Controls, line and paragraph separators, and marks that turn the reading direction of what follows. A line break is
 * fine.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const NOT_PLAIN = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/;

/** Whether a text of an operator can be shown as it is. */
export function isPlainText(text: string): boolean {
  return !NOT_PLAIN.test(text) && text.isWellFormed();
}
