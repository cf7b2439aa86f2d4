/** A request as it goes over the wire. */
export type WireRequest = {
  readonly method: string;
  /** Sent as it is; for an attack it may be no valid path. */
  readonly path: string;
  readonly host: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

export function requestText({ method, path, host, headers = {}, body }: WireRequest): string {
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n`;
  for (const name in headers) text += `${name}: ${headers[name]}\r\n`;
  if (body !== undefined) return `${text}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  return method === "POST" || method === "PUT" ? `${text}content-length: 0\r\n\r\n` : `${text}\r\n`;
}
