/** Over plain HTTP the worker needs one address and gets no other; https means a host on the internet. */
export function storeOutbound(storeUrl: string): { readonly storeAddress?: string } {
  const url = new URL(storeUrl);
  return url.protocol === "https:" ? {} : { storeAddress: `${url.hostname}:${url.port === "" ? 80 : url.port}` };
}
