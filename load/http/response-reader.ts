/** One HTTP/1.1 answer as received. */
export type RawAnswer = {
  readonly status: number;
  /** Status line and headers as sent, without the empty line. */
  readonly head: string;
  /** Still with its chunk lines; see `bodyText`. */
  readonly body: Buffer;
  readonly isChunked: boolean;
};

/**
 * Finds the end of each HTTP/1.1 answer on a keep-alive connection with minimal work: the status, and a content-length
 * or chunks. Returns false for anything else; the connection cannot be used after that.
 */
export function createResponseReader(onAnswer: (answer: RawAnswer) => void): (bytes: Buffer) => boolean {
  let pending: Buffer = Buffer.alloc(0);

  return (bytes) => {
    let data = pending.length === 0 ? bytes : Buffer.concat([pending, bytes]);
    while (data.length > 0) {
      const found = nextAnswer(data);
      if (found === "broken") return false;
      if (found === "incomplete") break;
      data = data.subarray(found.end);
      onAnswer(found.answer);
    }
    pending = data;
    return true;
  };
}

/** The value of a header's first line, or undefined. */
export function headerOf({ head }: RawAnswer, name: string): string | undefined {
  return headersOf(head, name).next().value;
}

/** The value of every line of this header. */
export function* headersOf(head: string, name: string): Generator<string, undefined> {
  const sought = `\r\n${name.toLowerCase()}:`;
  const lower = head.toLowerCase();
  for (let at = lower.indexOf(sought); at !== -1; at = lower.indexOf(sought, at + sought.length)) {
    const end = head.indexOf("\r\n", at + sought.length);
    yield head.slice(at + sought.length, end === -1 ? head.length : end).trim();
  }
  return undefined;
}

export function bodyText({ body, isChunked }: RawAnswer): string {
  if (!isChunked) return body.toString();
  const chunks: Buffer[] = [];
  walkChunks(body, 0, (from, to) => void chunks.push(body.subarray(from, to)));
  return Buffer.concat(chunks).toString();
}

type Found = { readonly answer: RawAnswer; readonly end: number };

const HEAD_END = Buffer.from("\r\n\r\n");
const STATUS_AT = "HTTP/1.1 ".length;

function nextAnswer(data: Buffer): Found | "incomplete" | "broken" {
  const headEnd = data.indexOf(HEAD_END);
  if (headEnd === -1) return "incomplete";
  const head = data.toString("latin1", 0, headEnd);
  const lower = head.toLowerCase();
  const status = Number(head.slice(STATUS_AT, STATUS_AT + 3));
  const bodyAt = headEnd + HEAD_END.length;
  const isChunked = lower.includes("\r\ntransfer-encoding: chunked");
  const end = isChunked ? walkChunks(data, bodyAt) : endOfLength(lower, bodyAt, status);
  if (end === undefined || Number.isNaN(status)) return "broken";
  if (end === -1 || end > data.length) return "incomplete";
  return { answer: { status, head, body: data.subarray(bodyAt, end), isChunked }, end };
}

const LENGTH_NAME = "\r\ncontent-length: ";

function endOfLength(head: string, bodyAt: number, status: number): number | undefined {
  const at = head.indexOf(LENGTH_NAME);
  if (at === -1) return status === 204 || status === 304 ? bodyAt : undefined;
  return bodyAt + Number.parseInt(head.slice(at + LENGTH_NAME.length, at + LENGTH_NAME.length + 15), 10);
}

/** The index after the last chunk, or -1 while it is missing. */
function walkChunks(data: Buffer, bodyAt: number, onChunk?: (from: number, to: number) => void): number | undefined {
  let at = bodyAt;
  for (;;) {
    const lineEnd = data.indexOf("\r\n", at, "latin1");
    if (lineEnd === -1) return -1;
    const size = Number.parseInt(data.toString("latin1", at, lineEnd), 16);
    if (Number.isNaN(size)) return undefined;
    at = lineEnd + 2 + size + 2;
    if (size === 0) return at;
    if (at > data.length) return -1;
    onChunk?.(lineEnd + 2, at - 2);
  }
}
