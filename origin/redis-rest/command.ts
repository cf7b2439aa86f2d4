/** One argument as it came in: JSON gives strings, numbers and booleans; a path or a body gives bytes. */
export type Argument = string | number | boolean | Buffer;

/** A command's name and its arguments, already known to be non-empty and flat. */
export type Command = readonly [string, ...Argument[]];

/** What one HTTP request asks of the store. */
export type Work = {
  readonly kind: "command" | "pipeline" | "transaction";
  readonly commands: readonly Command[];
  /** Whether every argument is ASCII, so that its length in characters is its length in bytes. */
  readonly isAscii: boolean;
  /** In a pipeline, why a member may not run; its place in the answer says so while the others run. */
  readonly refusals: ReadonlyMap<number, string>;
  /** Whether strings in the answer are base64, as `Upstash-Encoding: base64` asks. */
  readonly isBase64: boolean;
};
