/** A Lua file is imported as its text, with the pieces that it includes: see `stack/program/source-text.ts`. */
declare module "*.lua" {
  const source: string;
  export default source;
}
