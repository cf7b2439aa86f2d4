/** A command's place in the stream: the append's id, and its index in the append. */
export type CommandPlace = { readonly entryId: string; readonly index: number };

export const commandIdOf = ({ entryId, index }: CommandPlace): string => `${entryId}-${index}`;

const COMMAND_ID = /^(\d{1,16}-\d{1,16})-(\d{1,6})$/;

/** Undefined for text that is no command id: clients send it back to us. */
export function parseCommandId(text: string): CommandPlace | undefined {
  const [, entryId, index] = COMMAND_ID.exec(text) ?? [];
  return entryId === undefined || index === undefined ? undefined : { entryId, index: Number(index) };
}

/** Negative when the first stands before the second. The empty id stands before all. */
export function compareCommandIds(first: string, second: string): number {
  if (first === "" || second === "") return first.length - second.length;
  const left = first.split("-");
  const right = second.split("-");
  for (const [place, part] of left.entries()) {
    const difference = Number(part) - Number(right[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
