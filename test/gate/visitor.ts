import { expect } from "vitest";
import { type Answer, sendRequest } from "../../kit/send-request.ts";
import { steadyNowMs } from "../../kit/steady-clock.ts";

/** A visitor with a browser's habits: keeps cookies, follows no redirects. */
export type Visitor = {
  readonly cookies: Map<string, string>;
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Seen>;
  readonly send: (
    method: string,
    path: string,
    headers?: Readonly<Record<string, string>>,
    body?: string,
  ) => Promise<Seen>;
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

  async function send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body?: string,
  ): Promise<Seen> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const startedAt = steadyNowMs();
    // Node's fetch marks every request as made by a program.
    const exchange = "sec-fetch-mode" in headers ? sendRequest : sendByFetch;
    const { text: content, ...response } = await exchange(`${url}${path}`, {
      method,
      headers: { ...(cookie === "" ? {} : { cookie }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const setCookies = response.headers.getSetCookie();
    for (const line of setCookies) keep(cookies, line);
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    const json = isJson && content !== "" ? (JSON.parse(content) as Record<string, unknown>) : {};
    return {
      status: response.status,
      headers: response.headers,
      setCookies,
      text: content,
      json,
      tookMs: steadyNowMs() - startedAt,
    };
  }

  return { cookies, send, get: (path, headers) => send("GET", path, headers) };
}

type Sent = { readonly method: string; readonly headers: Readonly<Record<string, string>>; readonly body?: string };

async function sendByFetch(url: string, sent: Sent): Promise<Answer> {
  const response = await fetch(url, { ...sent, redirect: "manual" });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
  const end = pair.indexOf("=");
  const name = pair.slice(0, end);
  if (attributes.includes("Max-Age=0")) cookies.delete(name);
  else cookies.set(name, pair.slice(end + 1));
  // The page shows this value again, and its script writes it too, so it is no secret.
  expect(attributes.includes("HttpOnly")).toBe(!name.startsWith("sluice-place-"));
}

/** A condition that polls for one visitor is checked less often: polls without a pause are limited. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  { withinMs = 20_000, everyMs = 20 } = {},
): Promise<number> {
  const startedAt = steadyNowMs();
  while (!(await condition())) {
    if (steadyNowMs() - startedAt > withinMs) throw new Error(`it did not come true within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  return steadyNowMs() - startedAt;
}
