import { createServer } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import { createMember, type Member, writeQueued } from "../../../origin/live/fan-out/member.ts";
import { createPublicHub } from "../../../origin/live/fan-out/public-hub.ts";
import type { LiveMemory } from "../../../origin/live/feed/live-memory.ts";

/**
 * One way to send `MESSAGES` messages to every socket on each flush: `hub`, with the product's audiences and frames, or
 * `ws`, the loop that everyone writes first. Answers `measure` with the processor time that a number of flushes took.
 */
const MESSAGES = Number(process.env["MESSAGES"]);
const isHub = process.env["VARIANT"] === "hub";
/** 213 bytes as a whole message, as in the notes of the prototypes. */
const DATA = JSON.stringify({
  bids: [
    ["1500000000", "0.25"],
    ["1499990000", "1.5"],
  ],
  asks: [["1500010000", "0"]],
  at: 1_760_000_000_000,
});

const server = createServer();
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
const clients = new Set<WebSocket>();
const due = new Set<Member>();
let sequence = 1;
let dirty = 0;

const memory = { epoch: "bench", position: { sequence } } as unknown as LiveMemory;
const hub = createPublicHub({
  memory: () => memory,
  replay: { add: () => {}, stop: () => {} },
  everyMs: { fast: 0, slow: 0 },
  nowMs: () => performance.now(),
  createChannel(name) {
    let flushed = sequence;
    return {
      ...{ name, pace: "fast", isDirty: () => dirty > flushed, snapshot: () => DATA, since: () => DATA },
      flush() {
        flushed = sequence;
        return { type: "update", data: DATA };
      },
    };
  },
});

server.on("upgrade", (request, socket, head) => {
  sockets.handleUpgrade(request, socket, head, (webSocket) => {
    clients.add(webSocket);
    const outlet = {
      kind: "socket",
      write: (bytes: Buffer) => void socket.write(bytes),
      unsentBytes: () => socket.writableLength,
    } as const;
    const member = createMember({ outlet, due, onSlow: () => {} });
    if (isHub) for (let index = 0; index < MESSAGES; index++) hub.subscribe(member, `book:pair${index}`, undefined);
  });
});

function flush(): void {
  sequence++;
  dirty = sequence;
  (memory.position as { sequence: number }).sequence = sequence;
  if (isHub) {
    hub.flush(memory);
    for (const member of due) writeQueued(member);
    return;
  }
  for (let index = 0; index < MESSAGES; index++) {
    const message = `{"channel":"book:pair${index}","epoch":"bench","seq":${sequence},"prev":${sequence - 1},"type":"update","data":${DATA}}`;
    for (const client of clients) client.send(message);
  }
}

async function measure(flushes: number, everyMs: number): Promise<void> {
  const before = process.cpuUsage();
  for (let count = 0; count < flushes; count++) {
    flush();
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  const { user, system } = process.cpuUsage(before);
  process.send?.({ kind: "measured", micros: user + system, deliveries: flushes * MESSAGES * clients.size });
}

process.on(
  "message",
  ({ flushes, everyMs }: { readonly flushes: number; readonly everyMs: number }) => void measure(flushes, everyMs),
);
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ kind: "listening", port: typeof address === "object" ? address?.port : 0 });
});
