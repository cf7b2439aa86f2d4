import type { IncomingMessage } from "node:http";

type BodyHandlers = {
  readonly bytesMax: number;
  readonly onBody: (body: Buffer) => void;
  readonly onTooLarge: () => void;
};

const NO_BODY = Buffer.alloc(0);

/** Reads a whole body up to a bound. Neither handler is called when the caller disconnects in the middle. */
export function readBody(req: IncomingMessage, { bytesMax, onBody, onTooLarge }: BodyHandlers): void {
  // Nearly every body is one chunk; only a second one costs a copy.
  let only: Buffer | undefined;
  const chunks: Buffer[] = [];
  let length = 0;

  const onData = (chunk: Buffer) => {
    length += chunk.length;
    if (length > bytesMax) stop();
    else if (length === chunk.length) only = chunk;
    else chunks.push(chunk);
  };
  const onEnd = () => {
    const first = only ?? NO_BODY;
    onBody(chunks.length === 0 ? first : Buffer.concat([first, ...chunks], length));
  };
  const stop = () => {
    req.off("data", onData);
    req.off("end", onEnd);
    // The rest is read and discarded; otherwise the caller, still sending, would never read the answer.
    req.resume();
    onTooLarge();
  };

  if (Number(req.headers["content-length"] ?? 0) > bytesMax) {
    onTooLarge();
    return;
  }
  req.on("data", onData);
  req.on("end", onEnd);
}
