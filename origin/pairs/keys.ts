/** The best prices of a pair's book, as JSON, for everybody. Outside the shard's slot, because its readers know nothing of shards. */
export const bookSnapshotKey = (pair: string) => `v1:book:snapshot:${pair}`;
