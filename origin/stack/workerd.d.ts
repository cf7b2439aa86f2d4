/** The package ships no types: its default export is the path of the binary. */
declare module "workerd" {
  const program: { readonly default: string };
  export default program;
  export const compatibilityDate: string;
}
