/** The package ships no types. */
declare module "workerd" {
  export const compatibilityDate: string;
}
