/** Past this a caller is cut off in the middle of sending. */
export const LET_GO_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Undefined when there are more bytes than that. The rest is read and let go, or the caller, still sending, would never
 * see the answer.
 */
export async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array | undefined> {
  if (Number(request.headers.get("content-length") ?? 0) > LET_GO_BYTES_MAX) return undefined;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > LET_GO_BYTES_MAX) return undefined;
    if (length <= bytesMax) chunks.push(chunk);
  }
  return length > bytesMax ? undefined : new Uint8Array(await new Blob(chunks).arrayBuffer());
}
