type Closing = { readonly code: number; readonly reason: string; readonly isFromClient: boolean };

const FINAL_CLOSE = 0x88;
const MASKED = 0x80;
const REASON_BYTES_MAX = 123;

/**
 * A WebSocket close frame. RFC 6455, 5.3: what a client sends is masked. The mask protects caches from what a browser's
 * script chooses to send; a close of ours holds nothing of anybody's choice, so zeros will do and change no byte.
 */
export function closeFrame({ code, reason, isFromClient }: Closing): Buffer {
  const text = Buffer.from(reason).subarray(0, REASON_BYTES_MAX);
  const payload = Buffer.concat([Buffer.from([code >> 8, code & 0xff]), text]);
  const mask = isFromClient ? Buffer.alloc(4) : Buffer.alloc(0);
  return Buffer.concat([Buffer.from([FINAL_CLOSE, (isFromClient ? MASKED : 0) | payload.length]), mask, payload]);
}
