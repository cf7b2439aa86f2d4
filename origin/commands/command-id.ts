/** A command's place in the stream: the append's id, and its index in the append. */
export type StreamPlace = { readonly entryId: string; readonly index: number };

/**
 * A command that was handed to an engine in the same process: the journal entry that it was meant for, the epoch of that commit, and the
 * process with its own number for the command. Entry and epoch say where to look, node and number whether it is there.
 */
export type LocalPlace = { readonly epoch: number; readonly sequence: number; readonly node: string; readonly number: number };

export type CommandPlace = StreamPlace | LocalPlace;

export function commandIdOf(place: CommandPlace): string {
  return "entryId" in place ? `${place.entryId}-${place.index}` : `${place.epoch}.${place.sequence}.${place.node}.${place.number}`;
}

const STREAM_ID = /^(\d{1,16}-\d{1,16})-(\d{1,6})$/;
const LOCAL_ID = /^(\d{1,12})\.(\d{1,16})\.([\w-]{22})\.(\d{1,12})$/;

/** The longest id: the API refuses longer texts before they come here. */
export const COMMAND_ID_CHARS_MAX = 65;

/** Undefined for text that is no command id: clients send it back to us. */
export function parseCommandId(text: string): CommandPlace | undefined {
  const [, epoch, sequence, node, number] = LOCAL_ID.exec(text) ?? [];
  if (node !== undefined) return { epoch: Number(epoch), sequence: Number(sequence), node, number: Number(number) };
  return parseStreamId(text);
}

/** Undefined for every other id, and for the empty one. */
export function parseStreamId(text: string): StreamPlace | undefined {
  const [, entryId, index] = STREAM_ID.exec(text) ?? [];
  return entryId === undefined || index === undefined ? undefined : { entryId, index: Number(index) };
}

/** For ids of the stream: negative when the first stands before the second. The empty id stands before all. */
export function compareStreamIds(first: string, second: string): number {
  if (first === "" || second === "") return first.length - second.length;
  const left = first.split("-");
  const right = second.split("-");
  for (const [place, part] of left.entries()) {
    const difference = Number(part) - Number(right[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
