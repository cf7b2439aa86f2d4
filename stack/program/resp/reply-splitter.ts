import { RESP_ARRAY, RESP_BULK, RESP_ERROR, RESP_INTEGER, RESP_LINE_FEED, RESP_SIMPLE, readInteger } from "./resp.ts";

/**
 * Splits the bytes from Redis into groups of whole replies without parsing their values. It can stop at any byte and
 * continue with the next chunk; no byte is scanned twice, so a large reply costs linear time.
 */
export type ReplySplitter = { readonly push: (chunk: Buffer) => void };

type ReplySplitterOptions = {
  /**
   * How many replies the next group has. Asked once per group; 0 means that no reply is due, which breaks the protocol.
   */
  readonly nextCount: () => number;
  /** The group begins at `from` in `bytes`; the bytes are valid during the call only. */
  readonly onReplies: (bytes: Buffer, from: number) => void;
  /** The group was longer than the bound; its bytes were discarded as they came. */
  readonly onTooLarge: () => void;
  readonly onBroken: () => void;
  readonly replyBytesMax: number;
};

const HELD_BYTES_MIN = 64 * 1024;
const EMPTY = Buffer.alloc(0);

export function createReplySplitter(options: ReplySplitterOptions): ReplySplitter {
  let held = EMPTY;
  let heldLength = 0;
  /** Replies still due in the group under way; 0 between groups. */
  let due = 0;
  let groupAt = 0;
  let scanAt = 0;
  let isDropping = false;
  let isBroken = false;

  function push(chunk: Buffer): void {
    if (isBroken) return;
    const bytes = heldLength === 0 ? chunk : hold(chunk);
    splitGroups(bytes);
    keepRest(bytes);
  }

  function splitGroups(bytes: Buffer): void {
    while (scanAt < bytes.length && !isBroken) {
      if (due === 0 && !beginGroup(bytes)) return;
      scan(bytes);
      if (due > 0) return;
      if (isDropping) options.onTooLarge();
      else options.onReplies(bytes, groupAt);
      isDropping = false;
    }
  }

  function beginGroup(bytes: Buffer): boolean {
    due = isReplyType(bytes[scanAt]) ? options.nextCount() : 0;
    groupAt = scanAt;
    if (due > 0) return true;
    isBroken = true;
    options.onBroken();
    return false;
  }

  /** Moves over whole elements. An array's elements are simply that many more that are due: no depth, no recursion. */
  function scan(bytes: Buffer): void {
    while (due > 0 && scanAt < bytes.length) {
      const end = endOfElement(bytes, scanAt);
      if (end === INCOMPLETE || (end > bytes.length && !isDropping)) return;
      if (bytes[scanAt] === RESP_ARRAY) due += Math.max(readInteger(bytes, scanAt + 1), 0);
      due--;
      scanAt = end;
    }
  }

  function keepRest(bytes: Buffer): void {
    if (due > 0 && bytes.length - groupAt > options.replyBytesMax) isDropping = true;
    const from = due > 0 && !isDropping ? groupAt : Math.min(scanAt, bytes.length);
    const restLength = bytes.length - from;
    // While dropping, the place may lie beyond the end; what is left of it counts from the next chunk's beginning.
    scanAt -= from;
    groupAt = 0;
    if (restLength > 0) moveRest(bytes, from);
    heldLength = restLength;
    if (restLength === 0 && held.length > HELD_BYTES_MIN) held = EMPTY;
  }

  function moveRest(bytes: Buffer, from: number): void {
    if (bytes.buffer === held.buffer && from === 0) return;
    reserve(bytes.length - from, 0);
    bytes.copy(held, 0, from);
  }

  function hold(chunk: Buffer): Buffer {
    reserve(heldLength + chunk.length, heldLength);
    chunk.copy(held, heldLength);
    heldLength += chunk.length;
    return held.subarray(0, heldLength);
  }

  /** Doubles, so that a reply of many chunks is copied a bounded number of times. */
  function reserve(bytesNeeded: number, bytesToKeep: number): void {
    if (held.length >= bytesNeeded) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(bytesNeeded, held.length * 2, HELD_BYTES_MIN));
    held.copy(larger, 0, 0, bytesToKeep);
    held = larger;
  }

  return { push };
}

const INCOMPLETE = -1;

/** The place after a bulk string or a line; it may lie beyond what has come. */
function endOfElement(bytes: Buffer, at: number): number {
  // Lines are short, so a loop beats a native search.
  let end = at;
  while (end < bytes.length && bytes[end] !== RESP_LINE_FEED) end++;
  if (end === bytes.length) return INCOMPLETE;
  if (bytes[at] !== RESP_BULK) return end + 1;
  const length = readInteger(bytes, at + 1);
  return length < 0 ? end + 1 : end + 1 + length + 2;
}

function isReplyType(type: number | undefined): boolean {
  return (
    type === RESP_BULK || type === RESP_SIMPLE || type === RESP_INTEGER || type === RESP_ARRAY || type === RESP_ERROR
  );
}
