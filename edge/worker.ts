import { gateOfIsolate } from "./admit/open-gate.ts";
import { sweepQueues } from "./admit/sweep-queues.ts";
import { createApp } from "./app.ts";
import { forward } from "./proxy/forward.ts";
import type { Platform } from "./proxy/platform.ts";
import { relaySocket } from "./proxy/relay-socket.ts";
import type { EdgeBindings } from "./request/env.ts";
import { log } from "./request/log.ts";
import { LET_GO_BYTES_MAX } from "./request/read-bytes.ts";
import { edgeConfiguration } from "./request/read-visit.ts";

const platform: Platform = { forward, watchSocket: relaySocket };
const app = createApp(platform);

async function fetchAndFinish(request: Request, bindings: EdgeBindings, ctx: ExecutionContext): Promise<Response> {
  const response = await app.fetch(request, bindings, ctx);
  return mayBeUnfinished(request, response) ? finishConnection(request, response, ctx) : response;
}

/** The platform's cron: sweeps lines that are no longer polled. */
async function scheduled(_event: unknown, bindings: EdgeBindings): Promise<void> {
  const configuration = edgeConfiguration(bindings);
  const gate = configuration.ok ? await gateOfIsolate(configuration.value) : configuration;
  if (gate.ok) await sweepQueues(gate.value);
  else log("error", "the edge is not configured", { faults: gate.reason });
}

export default { fetch: fetchAndFinish, scheduled };

/**
 * Does two things that node:http does and workerd does not. workerd closes a connection after a response if the request
 * has an unread body: the client, still sending, sees a reset and loses the response. So the rest is read first, within
 * bounds. And a response with `connection: close` closes its connection, which workerd cannot do on request: the body
 * breaks off after its last byte, which leaves a line in workerd's log.
 */
async function finishConnection(request: Request, response: Response, ctx: ExecutionContext): Promise<Response> {
  const isClosing = response.headers.get("connection") === "close";
  const { body } = request;
  if (!isClosing && body !== null && !body.locked) await letGo(body);
  return isClosing ? closingAfter(response, ctx) : response;
}

const STATUS_REFUSED_MIN = 400;

/**
 * Whether there can be anything to do: a GET that was answered had no body, or forwarded it. Every access to a body
 * costs a call into the runtime.
 */
function mayBeUnfinished({ method }: Request, { status }: Response): boolean {
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
    // The client has disconnected and does not read the response.
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
