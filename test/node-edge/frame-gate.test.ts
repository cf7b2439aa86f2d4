import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { FrameGate } from "../../edge/node/frame-gate.ts";
import { closeFrame } from "../../edge/node/tunnel.ts";
import { seededRandom } from "../../kit/random.ts";

const CLOSE = closeFrame({ code: 4001, reason: "revoked", isFromClient: false });
const [TEXT, BINARY, PING, PONG] = [0x81, 0x82, 0x89, 0x8a] as const;

function frame(first: number, length: number, { isMasked = false } = {}): Buffer {
  const mask = isMasked ? Buffer.from([1, 2, 3, 4]) : Buffer.alloc(0);
  const bit = isMasked ? 0x80 : 0;
  const payload = Buffer.alloc(length, 0x7f);
  if (length < 126) return Buffer.concat([Buffer.from([first, bit | length]), mask, payload]);
  if (length < 65_536)
    return Buffer.concat([Buffer.from([first, bit | 126, length >> 8, length & 255]), mask, payload]);
  const header = Buffer.alloc(10);
  header[0] = first;
  header[1] = bit | 127;
  header.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([header, mask, payload]);
}

/** Writes the bytes in pieces that end anywhere, and closes after the given one. */
async function passThrough(
  bytes: Buffer,
  { ends, closeAfterPiece }: { ends: readonly number[]; closeAfterPiece: number },
): Promise<Buffer> {
  const gate = new FrameGate({ readableHighWaterMark: 100_000_000 });
  let from = 0;
  for (const [index, end] of [...ends, bytes.length].entries()) {
    await new Promise((resolve) => gate.write(bytes.subarray(from, end), resolve));
    from = end;
    if (index === closeAfterPiece) gate.closeWith(CLOSE);
  }
  gate.end();
  return buffer(gate);
}

describe("a FrameGate", () => {
  it("passes every byte as it came, wherever the pieces end", async () => {
    for (let seed = 1; seed <= 50; seed++) {
      const random = seededRandom(seed);
      const lengths = Array.from({ length: 20 }, () => random.between(0, seed % 5 === 0 ? 70_000 : 300));
      const bytes = Buffer.concat(lengths.map((length) => frame(BINARY, length, { isMasked: seed % 2 === 0 })));
      const ends = Array.from({ length: 30 }, () => random.between(0, bytes.length)).toSorted((a, b) => a - b);
      expect((await passThrough(bytes, { ends, closeAfterPiece: -1 })).equals(bytes), `seed ${seed}`).toBe(true);
    }
  });

  it("puts the close exactly between two frames, and lets nothing pass after it", async () => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = seededRandom(seed);
      const frames = Array.from({ length: 12 }, () =>
        frame(TEXT, random.between(0, 400), { isMasked: seed % 2 === 0 }),
      );
      const bytes = Buffer.concat(frames);
      const ends = Array.from({ length: 8 }, () => random.between(0, bytes.length)).toSorted((a, b) => a - b);
      const closeAfterPiece = random.between(0, 7);
      const passed = await passThrough(bytes, { ends, closeAfterPiece });
      const seen = ends[closeAfterPiece] ?? 0;
      let boundary = 0;
      for (const next of frames) if (boundary < seen) boundary += next.length;
      expect(passed.equals(Buffer.concat([bytes.subarray(0, boundary), CLOSE])), `seed ${seed}`).toBe(true);
    }
  });

  it("tells messages from pings and pongs", async () => {
    const gate = new FrameGate();
    gate.resume();
    const write = (bytes: Buffer) => new Promise((resolve) => gate.write(bytes, resolve));
    await write(Buffer.concat([frame(PING, 3), frame(PONG, 0), frame(0x88, 2)]));
    expect(gate.hasCarried).toBe(false);
    await write(frame(TEXT, 1).subarray(0, 2));
    expect(gate.hasCarried).toBe(true);
    gate.hasCarried = false;
    await write(Buffer.concat([Buffer.from([0x7f]), frame(PING, 125)]));
    expect(gate.hasCarried).toBe(false);
    await write(frame(0x80, 0));
    expect(gate.hasCarried).toBe(true);
  });
});
