/** `stack/program/lua-loader.ts` imports an `.sql` file as its text. */
declare module "*.sql" {
  const source: string;
  export default source;
}
