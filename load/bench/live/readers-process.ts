import { connect, type Socket } from "node:net";
import { setPriority } from "node:os";

/**
 * Sockets that read and parse nothing, so that the server's share of the machine is the server's. Every
 * `SAMPLED`th one reads the journal's time in the messages and notes how late they are.
 */
type Order =
  | {
      readonly kind: "open";
      readonly port: number;
      readonly sockets: number;
      readonly subscribe: string;
      readonly stalled: number;
    }
  | { readonly kind: "take" };

const LOWEST_PRIORITY = 19;
const SAMPLED = 25;
const CONNECTS_AT_ONCE = 100;
const FINAL_TEXT_MASKED = 0x81;
const MASKED = 0x80;
const TWO_BYTES = 126;

// In reality these are other machines: where orders are measured, they get what is left of this one.
if (process.env["YIELDS"] === "1") setPriority(LOWEST_PRIORITY);

let bytes = 0;
let latencies: number[] = [];

function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const header =
    payload.length < TWO_BYTES
      ? [FINAL_TEXT_MASKED, MASKED | payload.length]
      : [FINAL_TEXT_MASKED, MASKED | TWO_BYTES, payload.length >> 8, payload.length & 0xff];
  // A mask of zeros: the payload stays as it is.
  return Buffer.concat([Buffer.from(header), Buffer.alloc(4), payload]);
}

const HANDSHAKE =
  "GET /api/v1/ws HTTP/1.1\r\nhost: bench\r\nupgrade: websocket\r\nconnection: Upgrade\r\n" +
  "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

function openOne(
  { port, subscribe }: Extract<Order, { kind: "open" }>,
  index: number,
  isStalled: boolean,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(HANDSHAKE));
    socket.setNoDelay(true);
    socket.once("error", reject);
    socket.once("data", () => {
      if (subscribe !== "") socket.write(textFrame(subscribe));
      socket.on("data", index % SAMPLED === 0 ? sample : count);
      if (isStalled) socket.pause();
      resolve(socket);
    });
  });
}

const count = (chunk: Buffer) => {
  bytes += chunk.length;
};

const AT = /"at":(\d{13})/g;

function sample(chunk: Buffer): void {
  bytes += chunk.length;
  const nowMs = Date.now();
  const last = [...chunk.toString("latin1").matchAll(AT)].at(-1)?.[1];
  if (last !== undefined) latencies.push(nowMs - Number(last));
}

async function open(order: Extract<Order, { kind: "open" }>): Promise<void> {
  for (let from = 0; from < order.sockets; from += CONNECTS_AT_ONCE) {
    const length = Math.min(CONNECTS_AT_ONCE, order.sockets - from);
    await Promise.all(Array.from({ length }, (_, index) => openOne(order, from + index, from + index < order.stalled)));
  }
}

process.on("message", (order: Order) => {
  if (order.kind === "open") void open(order).then(() => process.send?.({ kind: "opened" }));
  else {
    process.send?.({ kind: "taken", bytes, latencies });
    bytes = 0;
    latencies = [];
  }
});
