/**
 * Finds where each HTTP/1.1 answer on a keep-alive connection ends, with as little work as that takes: the status, and
 * a content-length or chunks. Returns false when it meets something else; the connection cannot be used after that.
 */
export function createResponseReader(onAnswer: (status: number) => void): (bytes: Buffer) => boolean {
  let pending: Buffer = Buffer.alloc(0);

  return (bytes) => {
    let data = pending.length === 0 ? bytes : Buffer.concat([pending, bytes]);
    while (data.length > 0) {
      const answer = nextAnswer(data);
      if (answer === "broken") return false;
      if (answer === "incomplete") break;
      data = data.subarray(answer.end);
      onAnswer(answer.status);
    }
    pending = data;
    return true;
  };
}

type Answer = { readonly status: number; readonly end: number };

const HEAD_END = Buffer.from("\r\n\r\n");
const STATUS_AT = "HTTP/1.1 ".length;

function nextAnswer(data: Buffer): Answer | "incomplete" | "broken" {
  const headEnd = data.indexOf(HEAD_END);
  if (headEnd === -1) return "incomplete";
  const head = data.toString("latin1", 0, headEnd).toLowerCase();
  const status = Number(head.slice(STATUS_AT, STATUS_AT + 3));
  const bodyAt = headEnd + HEAD_END.length;
  const end = head.includes("\r\ntransfer-encoding: chunked") ? endOfChunks(data, bodyAt) : endOfLength(head, bodyAt, status);
  if (end === undefined || Number.isNaN(status)) return "broken";
  return end === -1 || end > data.length ? "incomplete" : { status, end };
}

const LENGTH_NAME = "\r\ncontent-length: ";

function endOfLength(head: string, bodyAt: number, status: number): number | undefined {
  const at = head.indexOf(LENGTH_NAME);
  if (at === -1) return status === 204 || status === 304 ? bodyAt : undefined;
  return bodyAt + Number.parseInt(head.slice(at + LENGTH_NAME.length, at + LENGTH_NAME.length + 15), 10);
}

/** The place after the last chunk, or -1 while it has not come yet. */
function endOfChunks(data: Buffer, bodyAt: number): number | undefined {
  let at = bodyAt;
  for (;;) {
    const lineEnd = data.indexOf("\r\n", at, "latin1");
    if (lineEnd === -1) return -1;
    const size = Number.parseInt(data.toString("latin1", at, lineEnd), 16);
    if (Number.isNaN(size)) return undefined;
    at = lineEnd + 2 + size + 2;
    if (size === 0) return at;
    if (at > data.length) return -1;
  }
}
