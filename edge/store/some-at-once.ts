/**
 * Does the work for many items, a few at a time; the results have the order of the items. Fails with the first failure.
 */
export async function someAtOnce<Item, Outcome>(
  items: readonly Item[],
  atOnceMax: number,
  work: (item: Item) => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  const rest = items.entries();
  const outcomes: Outcome[] = [];
  async function doSome(): Promise<void> {
    for (const [index, item] of rest) outcomes[index] = await work(item);
  }
  await Promise.all(Array.from({ length: atOnceMax }, doSome));
  return outcomes;
}
