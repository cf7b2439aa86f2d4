/** What everybody has: account, then currency, in smallest steps. */
export type Totals = Map<string, Map<string, bigint>>;

export function addTo(totals: Totals, { account, currency, steps }: { account: string; currency: string; steps: bigint }): void {
  let ofAccount = totals.get(account);
  if (ofAccount === undefined) {
    ofAccount = new Map();
    totals.set(account, ofAccount);
  }
  ofAccount.set(currency, (ofAccount.get(currency) ?? 0n) + steps);
}
