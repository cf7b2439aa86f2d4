import { type LookupAddress, lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { isPublicAddress } from "../../shared/public-address.ts";

/**
 * Resolves a name to its public addresses, and fails where it has none: whoever owns a name can let it lead to any machine of ours. It is
 * asked for each new connection, so that a name which changes later gains nothing. (An address in place of a name never comes here.)
 */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, []);
    const [first, ...rest] = addresses.filter(({ address }) => isPublicAddress(address));
    if (first === undefined) return callback(new Error("the name has no public address"), []);
    return answer(options.all === true, [first, ...rest], callback);
  });
};

function answer(wantsAll: boolean, addresses: readonly [LookupAddress, ...LookupAddress[]], callback: Parameters<LookupFunction>[2]): void {
  const [{ address, family }] = addresses;
  if (wantsAll) callback(null, [...addresses]);
  else callback(null, address, family);
}
