/** A Lua file is imported as its text: by esbuild and wrangler at the edge, by `origin/lua-loader.ts` on Node. */
declare module "*.lua" {
  const source: string;
  export default source;
}
