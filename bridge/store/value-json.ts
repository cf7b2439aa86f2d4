/** A RESP2 reply as ioredis returns it with buffers. */
export type RedisValue = Buffer | string | number | null | Error | readonly RedisValue[];

/** The same JSON as `reply-json.ts` writes, for replies that ioredis has parsed. */
export function itemJson(value: RedisValue, isBase64: boolean): string {
  if (value instanceof Error) return `{"error":${JSON.stringify(value.message)}}`;
  if (Buffer.isBuffer(value) && value.equals(OK)) return '{"result":"OK"}';
  return `{"result":${valueJson(value, isBase64)}}`;
}

const OK = Buffer.from("OK");

function valueJson(value: RedisValue, isBase64: boolean): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return `[${value.map((element: RedisValue) => valueJson(element, isBase64)).join(",")}]`;
  const bytes = Buffer.isBuffer(value) ? value : Buffer.from(value instanceof Error ? value.message : String(value));
  return isBase64 ? `"${bytes.toString("base64")}"` : JSON.stringify(bytes.toString("utf8"));
}
