import { LET_GO_BYTES_MAX } from "./read-bytes.ts";

/**
 * What node:http does by itself and workerd does not. workerd closes a connection as soon as an answer is out whose request has a body that
 * was not read: the client, still sending, sees a reset and loses the answer. So the rest is read first, within bounds. And an answer with
 * `connection: close` closes its connection, which workerd has no way to ask for: the body breaks off after its last byte, which leaves a line in
 * workerd's log.
 */
export async function finishConnection(request: Request, response: Response, ctx: ExecutionContext): Promise<Response> {
  const isClosing = response.headers.get("connection") === "close";
  const { body } = request;
  if (!isClosing && body !== null && !body.locked) await letGo(body);
  return isClosing ? closingAfter(response, ctx) : response;
}

const STATUS_REFUSED_MIN = 400;

/** Whether there can be anything to do: a GET that was answered had no body, or sent it on. Every look at a body costs a call into the runtime. */
export function mayBeUnfinished({ method }: Request, { status }: Response): boolean {
  return (method !== "GET" && method !== "HEAD") || status >= STATUS_REFUSED_MIN;
}

const LET_GO_MS_MAX = 2_000;

async function letGo(body: ReadableStream<Uint8Array>): Promise<void> {
  const reader = body.getReader();
  const over = Promise.withResolvers<undefined>();
  const timer = setTimeout(over.resolve, LET_GO_MS_MAX, undefined);
  try {
    for (let bytes = 0; bytes <= LET_GO_BYTES_MAX; ) {
      const piece = await Promise.race([reader.read(), over.promise]);
      if (piece === undefined || piece.done) return;
      bytes += piece.value.length;
    }
  } catch {
    // The client has broken off, and nobody reads the answer.
  } finally {
    clearTimeout(timer);
  }
}

async function closingAfter(response: Response, ctx: ExecutionContext): Promise<Response> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const channel = new FixedLengthStream(bytes.length);
  const writer = channel.writable.getWriter();
  const sent = writer.write(bytes).then(() => writer.abort(new Error("the connection is closed after this answer")));
  ctx.waitUntil(sent.catch(ignore));
  return new Response(channel.readable, response);
}

const ignore = () => undefined;
