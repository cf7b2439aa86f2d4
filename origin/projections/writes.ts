/** A command for Redis; those with many members are grown while the rows are gone through. */
export type Write = [string, ...(string | number)[]];

/** Commands of one step. Everything of one key that can be said in one command is. */
export type Writes = {
  /** The commands of one user's own keys, where somebody has begun them. */
  readonly ofUser: (user: string) => UserWrites;
  /** The command of this kind on a key that many rows share, to push members to. */
  readonly into: (command: string, key: string) => Write;
  /** One by itself. It comes behind those with members: what cuts or expires a key follows what is put into it. */
  readonly add: (write: Write) => void;
  readonly all: () => Write[];
};

/** Found by the user's name alone: to put together and to look up each key would take longer than the rest. */
export type UserWrites = {
  orders: Write | undefined;
  opened: Write | undefined;
  closed: Write | undefined;
  trades: Write | undefined;
};

export function createWrites(): Writes {
  const users = new Map<string, UserWrites>();
  const shared = new Map<string, Write>();
  const single: Write[] = [];
  return {
    ofUser(user) {
      let writes = users.get(user);
      if (writes === undefined) {
        writes = { orders: undefined, opened: undefined, closed: undefined, trades: undefined };
        users.set(user, writes);
      }
      return writes;
    },
    into(command, key) {
      const name = `${command} ${key}`;
      let write = shared.get(name);
      if (write === undefined) {
        write = [command, key];
        shared.set(name, write);
      }
      return write;
    },
    add: (write) => void single.push(write),
    all() {
      const all = [...shared.values()];
      for (const { orders, opened, closed, trades } of users.values()) {
        for (const write of [orders, opened, closed, trades]) if (write !== undefined) all.push(write);
      }
      for (const write of single) all.push(write);
      return all;
    },
  };
}
