/** `origin/lua-loader.ts` gives an `.sql` file as its text. */
declare module "*.sql" {
  const source: string;
  export default source;
}
