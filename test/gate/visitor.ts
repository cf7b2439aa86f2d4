import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import { steadyNowMs } from "../parts/steady-clock.ts";

/** A visitor with a browser's habits: keeps cookies, follows nothing by itself. */
export type Visitor = {
  readonly cookies: Map<string, string>;
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Seen>;
  readonly send: (method: string, path: string, headers?: Readonly<Record<string, string>>, body?: string) => Promise<Seen>;
};

export type Seen = {
  readonly status: number;
  readonly headers: Headers;
  readonly setCookies: readonly string[];
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly tookMs: number;
};

export const JSON_PLEASE = { accept: "application/json" };

export function createVisitor(url: string): Visitor {
  const cookies = new Map<string, string>();

  async function send(method: string, path: string, headers: Readonly<Record<string, string>> = {}, body?: string): Promise<Seen> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const startedAt = steadyNowMs();
    const exchange = "sec-fetch-mode" in headers ? sendAsBrowser : sendByFetch;
    const { text: content, ...response } = await exchange(`${url}${path}`, {
      method,
      headers: { ...(cookie === "" ? {} : { cookie }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const setCookies = response.headers.getSetCookie();
    for (const line of setCookies) keep(cookies, line);
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    const json = isJson && content !== "" ? (JSON.parse(content) as Record<string, unknown>) : {};
    return { status: response.status, headers: response.headers, setCookies, text: content, json, tookMs: steadyNowMs() - startedAt };
  }

  return { cookies, send, get: (path, headers) => send("GET", path, headers) };
}

type Sent = { readonly method: string; readonly headers: Readonly<Record<string, string>>; readonly body?: string };
type Answered = Pick<Seen, "status" | "headers" | "text">;

async function sendByFetch(url: string, sent: Sent): Promise<Answered> {
  const response = await fetch(url, { ...sent, redirect: "manual" });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Node's fetch says of every request that a program has made it. */
async function sendAsBrowser(url: string, { method, headers, body }: Sent): Promise<Answered> {
  const sending = request(url, { method, headers: { ...headers } });
  sending.end(body);
  const [response] = (await once(sending, "response")) as [IncomingMessage];
  const received = new Headers();
  for (const [name, values = []] of Object.entries(response.headersDistinct)) for (const value of values) received.append(name, value);
  return { status: response.statusCode ?? 0, headers: received, text: await text(response) };
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
  const end = pair.indexOf("=");
  const name = pair.slice(0, end);
  if (attributes.includes("Max-Age=0")) cookies.delete(name);
  else cookies.set(name, pair.slice(end + 1));
  // What the page shows again is no secret, and its script writes it too.
  expect(attributes.includes("HttpOnly")).toBe(!name.startsWith("sluice-place-"));
}

/** A condition that is a poll of one visitor is asked for less often: nobody is answered for long who polls without a pause. */
export async function until(condition: () => boolean | Promise<boolean>, { withinMs = 20_000, everyMs = 20 } = {}): Promise<number> {
  const startedAt = steadyNowMs();
  while (!(await condition())) {
    if (steadyNowMs() - startedAt > withinMs) throw new Error(`it did not come true within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  return steadyNowMs() - startedAt;
}
