/** A command for Redis; those with many members are grown while the rows are gone through. */
export type Write = [string, ...(string | number)[]];

/** Commands of one step. Everything of one key that can be said in one command is. */
export type Writes = {
  /** The command of this kind on this key, to push members to. */
  readonly into: (command: string, key: string) => Write;
  /** One by itself. It comes behind those with members: what cuts or expires a key follows what is put into it. */
  readonly add: (write: Write) => void;
  readonly all: () => Write[];
};

export function createWrites(): Writes {
  const byCommand = new Map<string, Map<string, Write>>();
  const single: Write[] = [];
  return {
    into(command, key) {
      let byKey = byCommand.get(command);
      if (byKey === undefined) {
        byKey = new Map();
        byCommand.set(command, byKey);
      }
      let write = byKey.get(key);
      if (write === undefined) {
        write = [command, key];
        byKey.set(key, write);
      }
      return write;
    },
    add: (write) => void single.push(write),
    all: () => [...[...byCommand.values()].flatMap((byKey) => [...byKey.values()]), ...single],
  };
}
