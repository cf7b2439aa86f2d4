import { useEffect, useRef, useState } from "preact/hooks";

type Page<Item> = { readonly items: readonly Item[]; readonly nextCursor: string | null };

export type Pages<Item> = {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
  readonly isReading: boolean;
  readonly error: Error | undefined;
  readonly readMore: () => void;
  readonly reload: () => void;
};

type State<Item> = Page<Item> & { readonly isReading: boolean; readonly error: Error | undefined };

/** A list that is read page by page, when asked. Another `key` is another list. */
export function usePages<Item>(key: string, read: (cursor: string | undefined) => Promise<Page<Item>>): Pages<Item> {
  const none: State<Item> = { items: [], nextCursor: null, isReading: true, error: undefined };
  const [state, setState] = useState(none);
  const latestRead = useRef(read);
  latestRead.current = read;
  const turn = useRef(0);

  async function readPage(before: readonly Item[], cursor: string | undefined): Promise<void> {
    turn.current++;
    const mine = turn.current;
    setState((now) => ({ ...now, isReading: true, error: undefined }));
    try {
      const { items, nextCursor } = await latestRead.current(cursor);
      if (mine === turn.current)
        setState({ items: [...before, ...items], nextCursor, isReading: false, error: undefined });
    } catch (caught) {
      if (mine === turn.current) setState((now) => ({ ...now, isReading: false, error: caught as Error }));
    }
  }

  // Another key is the only reason to start again.
  useEffect(() => {
    setState(none);
    void readPage([], undefined);
    return () => {
      turn.current++;
    };
  }, [key]);

  return {
    ...state,
    hasMore: state.nextCursor !== null,
    readMore: () => void readPage(state.items, state.nextCursor ?? undefined),
    reload: () => void readPage([], undefined),
  };
}
