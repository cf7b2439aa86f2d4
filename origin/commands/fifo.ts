/** First in, first out, without moving the rest for each one that leaves. It never holds more than twice of what is in it, and a few. */
export type Fifo<Item> = {
  readonly push: (item: Item) => void;
  readonly shift: () => Item | undefined;
  readonly first: () => Item | undefined;
  readonly size: () => number;
  readonly all: () => readonly Item[];
  /** Before all others, in their order. */
  readonly putBack: (items: readonly Item[]) => void;
  readonly takeAll: () => readonly Item[];
};

const WASTE_MAX = 1_024;

export function createFifo<Item>(): Fifo<Item> {
  let items: Item[] = [];
  let head = 0;

  return {
    push: (item) => void items.push(item),
    shift() {
      if (head === items.length) return undefined;
      const item = items[head];
      head++;
      if (head === items.length) {
        items = [];
        head = 0;
      } else if (head >= WASTE_MAX && head * 2 >= items.length) {
        items = items.slice(head);
        head = 0;
      }
      return item;
    },
    first: () => items[head],
    size: () => items.length - head,
    all: () => items.slice(head),
    putBack(back) {
      items = [...back, ...items.slice(head)];
      head = 0;
    },
    takeAll() {
      const all = items.slice(head);
      items = [];
      head = 0;
      return all;
    },
  };
}
