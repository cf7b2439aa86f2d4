/** Everything that must change in one step shares this hash tag: one trading shard, one slot. */
export const SHARD = "v1:{t0}";

export const COMMANDS_KEY = `${SHARD}:commands`;

/** A channel, not a key: where an api process hears what became of the commands that it has appended. */
export const answersChannel = (node: string) => `${SHARD}:answers:${node}`;
