/** Events in simulated time: a heap; between equal times the order of entry decides. */
export type Agenda<Event> = {
  readonly add: (atMs: number, event: Event) => void;
  readonly next: () => { readonly atMs: number; readonly event: Event } | undefined;
};

type Entry<Event> = { readonly atMs: number; readonly entered: number; readonly event: Event };

export function createAgenda<Event>(): Agenda<Event> {
  const heap: Entry<Event>[] = [];
  let entered = 0;

  function add(atMs: number, event: Event): void {
    heap.push({ atMs, entered: entered++, event });
    let at = heap.length - 1;
    while (at > 0 && swapIfLater((at - 1) >> 1, at)) at = (at - 1) >> 1;
  }

  function next(): Entry<Event> | undefined {
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    heap[0] = last;
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const child = isLater(left, left + 1) ? left + 1 : left;
      if (!swapIfLater(at, child)) return first;
      at = child;
    }
  }

  /** True when both exist and the first belongs behind the second. */
  function isLater(one: number, other: number): boolean {
    const a = heap[one];
    const b = heap[other];
    if (a === undefined || b === undefined) return false;
    return a.atMs > b.atMs || (a.atMs === b.atMs && a.entered > b.entered);
  }

  function swapIfLater(upper: number, lower: number): boolean {
    const a = heap[upper];
    const b = heap[lower];
    if (a === undefined || b === undefined || !isLater(upper, lower)) return false;
    heap[upper] = b;
    heap[lower] = a;
    return true;
  }

  return { add, next };
}
