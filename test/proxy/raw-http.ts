import { connect } from "node:net";

export type RawResponse = {
  readonly status: number;
  /** Lower-case name to every value that came under it, in order. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Buffer;
  /** False when the connection closed before the body was complete. */
  readonly isComplete: boolean;
};

const WAIT_MS_MAX = 10_000;

/**
 * Writes bytes to a socket as they are and reads one response. A client library would repair or refuse most of what
 * these tests send. Each character of the text is one byte.
 */
export function sendRaw(port: number, text: string): Promise<RawResponse> {
  const isHead = text.startsWith("HEAD ");
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const socket = connect({ host: "127.0.0.1", port, timeout: WAIT_MS_MAX }, () =>
      socket.write(Buffer.from(text, "latin1")),
    );
    const settle = (isClosed: boolean) => {
      const response = parseResponse(received, { isHead, isClosed });
      if (response === undefined) return;
      socket.destroy();
      resolve(response);
    };
    socket.on("data", (bytes) => {
      received = Buffer.concat([received, bytes]);
      settle(false);
    });
    socket.on("close", () => {
      settle(true);
      reject(new Error(`the connection closed without an answer; so far: ${received.toString("latin1")}`));
    });
    socket.on("timeout", () => socket.destroy(new Error(`no whole answer within ${WAIT_MS_MAX} ms`)));
    socket.on("error", reject);
  });
}

/** A GET with the given request target and header lines, spelt as they are. */
export function rawGet(target: string, headerLines: readonly string[] = []): string {
  return ["GET ", target, " HTTP/1.1\r\nHost: shop.test\r\n", ...headerLines.map((line) => `${line}\r\n`), "\r\n"].join(
    "",
  );
}

type Ending = { readonly isHead: boolean; readonly isClosed: boolean };

function parseResponse(received: Buffer, { isHead, isClosed }: Ending): RawResponse | undefined {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const [statusLine = "", ...lines] = received.subarray(0, headEnd).toString("latin1").split("\r\n");
  const status = Number(statusLine.split(" ")[1]);
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  const rest = received.subarray(headEnd + 4);
  if (isHead || status === 204 || status === 304) return { status, headers, body: rest, isComplete: true };
  const isChunked = headers.get("transfer-encoding")?.[0] === "chunked";
  const { body, isComplete } = isChunked
    ? readChunks(rest)
    : readLength(rest, Number(headers.get("content-length")?.[0] ?? 0));
  return isComplete || isClosed ? { status, headers, body, isComplete } : undefined;
}

function readLength(rest: Buffer, length: number): { body: Buffer; isComplete: boolean } {
  return { body: rest.subarray(0, length), isComplete: rest.length >= length };
}

function readChunks(rest: Buffer): { body: Buffer; isComplete: boolean } {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = rest.indexOf("\r\n", at);
    if (lineEnd === -1) return { body: Buffer.concat(chunks), isComplete: false };
    const size = Number.parseInt(rest.subarray(at, lineEnd).toString("latin1"), 16);
    if (size === 0) return { body: Buffer.concat(chunks), isComplete: rest.length >= lineEnd + 4 };
    chunks.push(rest.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
    if (at > rest.length) return { body: Buffer.concat(chunks), isComplete: false };
  }
}
