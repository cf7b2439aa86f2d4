import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { type RequestOptions, request as requestTls } from "node:https";
import { text } from "node:stream/consumers";

export type Answer = { readonly status: number; readonly headers: Headers; readonly text: string };

type Sent = RequestOptions & { readonly body?: string };

/** One request without the headers that `fetch` adds by itself, from any address of this machine (`localAddress`). */
export async function sendRequest(url: string, { body, ...options }: Sent = {}): Promise<Answer> {
  const sending = url.startsWith("https:") ? requestTls(url, options) : request(url, options);
  sending.end(body);
  const [response] = (await once(sending, "response")) as [IncomingMessage];
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(response.headersDistinct))
    for (const value of values) headers.append(name, value);
  return { status: response.statusCode ?? 0, headers, text: await text(response) };
}
