import type { ChannelMessage } from "../../../shared/live/messages.ts";

/** One message, serialised once for all its readers. */
export type Frame = {
  readonly channel: string;
  readonly seq: number;
  readonly prev: number;
  readonly json: string;
  /** As a WebSocket frame, made when the first socket needs it. */
  bytes: Buffer | undefined;
};

type FrameFacts = Omit<ChannelMessage, "data"> & { /** As JSON. */ readonly data: string };

/** Names and epochs need no escaping. */
export function channelFrame({ channel, epoch, seq, prev, type, data }: FrameFacts): Frame {
  const json = `{"channel":"${channel}","epoch":"${epoch}","seq":${seq},"prev":${prev},"type":"${type}","data":${data}}`;
  return { channel, seq, prev, json, bytes: undefined };
}

export function frameBytes(frame: Frame): Buffer {
  frame.bytes ??= textFrame(frame.json);
  return frame.bytes;
}

const FINAL_TEXT = 0x81;
const SHORT_MAX = 125;
const IN_2_BYTES = 126;
const IN_8_BYTES = 127;
const TWO_BYTES_MAX = 0xffff;

/** RFC 6455, 5.2: a whole text message of a server, which is not masked. */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const headerBytes = length <= SHORT_MAX ? 2 : length <= TWO_BYTES_MAX ? 4 : 10;
  const frame = Buffer.allocUnsafeSlow(headerBytes + length);
  frame[0] = FINAL_TEXT;
  if (headerBytes === 2) frame[1] = length;
  else if (headerBytes === 4) {
    frame[1] = IN_2_BYTES;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = IN_8_BYTES;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, headerBytes);
  return frame;
}
