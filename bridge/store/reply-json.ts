import { assert } from "../../shared/assert.ts";
import {
  RESP_ARRAY,
  RESP_BULK,
  RESP_CARRIAGE_RETURN,
  RESP_ERROR,
  RESP_INTEGER,
  RESP_SIMPLE,
  readInteger,
} from "../../stack/program/resp/resp.ts";

/**
 * Turns whole RESP replies straight into the JSON the protocol answers with; no values are built in between. The bytes
 * have passed the splitter, so they are complete and well-formed.
 */
export class ReplyReader {
  private at: number;
  private readonly bytes: Buffer;
  private readonly isBase64: boolean;

  constructor(bytes: Buffer, options: { readonly from: number; readonly isBase64: boolean }) {
    this.bytes = bytes;
    this.at = options.from;
    this.isBase64 = options.isBase64;
  }

  isError(): boolean {
    return this.bytes[this.at] === RESP_ERROR;
  }

  /** The next reply as `{"result":…}` or `{"error":…}`. */
  item(): string {
    if (this.bytes[this.at] === RESP_ERROR) return `{"error":${JSON.stringify(this.line())}}`;
    if (this.isOk()) return '{"result":"OK"}';
    return `{"result":${this.value(0)}}`;
  }

  /** The elements of the next reply as items of their own, as EXEC's are; undefined for a null. */
  items(): string | undefined {
    let left = readInteger(this.bytes, this.at + 1);
    this.passLine();
    if (left < 0) return undefined;
    let text = "[";
    for (; left > 0; left--) text += left === 1 ? this.item() : `${this.item()},`;
    return `${text}]`;
  }

  /** The next reply's line without its type and line end: an error's message, or a reply to pass over. */
  line(): string {
    const from = this.at + 1;
    this.passLine();
    return this.bytes.toString("utf8", from, this.at - LINE_END_BYTES);
  }

  private passLine(): void {
    let end = this.at;
    while (end < this.bytes.length && this.bytes[end] !== RESP_CARRIAGE_RETURN) end++;
    assert(end < this.bytes.length, "a reply that is read has passed the splitter");
    this.at = end + LINE_END_BYTES;
  }

  /** The next reply's elements as text, or the reply itself when it is not an array: a message of a subscription. */
  words(): readonly string[] {
    if (this.bytes[this.at] !== RESP_ARRAY) return [this.line()];
    let left = readInteger(this.bytes, this.at + 1);
    this.passLine();
    const words: string[] = [];
    for (; left > 0; left--) words.push(this.bytes[this.at] === RESP_BULK ? this.bulkText() : this.line());
    return words;
  }

  private bulkText(): string {
    const length = readInteger(this.bytes, this.at + 1);
    this.passLine();
    if (length < 0) return "";
    const from = this.at;
    this.at += length + 2;
    return this.bytes.toString("utf8", from, from + length);
  }

  /** A plain OK stays readable in base64 too, but only at the top: inside an array clients decode every string. */
  private isOk(): boolean {
    const { bytes, at } = this;
    if (bytes[at] !== RESP_SIMPLE || bytes[at + 1] !== LETTER_O || bytes[at + 2] !== LETTER_K) return false;
    if (bytes[at + 3] !== RESP_CARRIAGE_RETURN) return false;
    this.at += OK_REPLY_BYTES;
    return true;
  }

  private value(depth: number): string {
    const type = this.bytes[this.at];
    if (type === RESP_BULK) return this.bulk();
    if (type === RESP_INTEGER) return this.line();
    if (type === RESP_ARRAY) return this.array(depth);
    return this.text(this.line());
  }

  private bulk(): string {
    const length = readInteger(this.bytes, this.at + 1);
    this.passLine();
    if (length < 0) return "null";
    const from = this.at;
    this.at += length + 2;
    if (this.isBase64) return `"${this.bytes.toString("base64", from, from + length)}"`;
    return JSON.stringify(this.bytes.toString("utf8", from, from + length));
  }

  private array(depth: number): string {
    if (depth >= NESTING_MAX) throw new ReplyTooDeepError();
    let left = readInteger(this.bytes, this.at + 1);
    this.passLine();
    if (left < 0) return "null";
    let text = "[";
    for (; left > 0; left--) text += left === 1 ? this.value(depth + 1) : `${this.value(depth + 1)},`;
    return `${text}]`;
  }

  private text(text: string): string {
    return this.isBase64 ? `"${Buffer.from(text, "utf8").toString("base64")}"` : JSON.stringify(text);
  }
}

const LINE_END_BYTES = "\r\n".length;
const LETTER_O = 0x4f;
const LETTER_K = 0x4b;
const OK_REPLY_BYTES = "+OK\r\n".length;

/** Only a script can nest this deep, and only on purpose; unbounded, it would overflow the stack. */
const NESTING_MAX = 128;

export class ReplyTooDeepError extends Error {
  override readonly name = "ReplyTooDeepError";

  constructor() {
    super(`ERR the reply is nested more than ${NESTING_MAX} levels deep`);
  }
}
