import type { z } from "zod";
import type { problemSchema } from "../../../../shared/http/openapi.ts";
import type { queueSchema } from "../../admin/schemas.ts";
import { CONSOLE_KEY_HEADER } from "../console-key-header.ts";

/** The operator API as the console calls it: with the session's cookie, and the key that only this page knows. */
export type Api = {
  readonly get: <Body>(path: string) => Promise<Read<Body>>;
  readonly send: <Body>(
    method: "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    options?: SendOptions,
  ) => Promise<Read<Body>>;
};

export type Read<Body> = { readonly body: Body; readonly etag: string };
type SendOptions = { readonly body?: unknown; readonly etag?: string };

export type Queue = z.output<typeof queueSchema>;
type Problem = z.output<typeof problemSchema>;

type ProblemFacts = Pick<Problem, "code" | "title" | "detail" | "errors" | "requestId"> & { readonly status?: number };

/** Why a call failed, as text for the operator. */
export class ApiProblem extends Error {
  override readonly name = "ApiProblem";
  readonly code: string;
  /** Undefined when there was no answer. */
  readonly status: number | undefined;
  readonly fields: readonly { readonly field: string; readonly message: string }[];
  readonly requestId: string | undefined;

  constructor({ code, title, detail, status, errors = [], requestId }: ProblemFacts) {
    super(detail === undefined ? title : `${title} ${detail}`);
    this.code = code;
    this.status = status;
    this.fields = errors;
    this.requestId = requestId;
  }
}

const ADMIN = "/_sluice/admin";
const CALL_MS_MAX = 10_000;

/** `hasLostChange`: the session had ended when a change was sent, so the change was not made. */
export type SignedOut = { readonly hasLostChange: boolean };

export function createApi(key: string, onSignedOut: (how: SignedOut) => void): Api {
  async function call<Body>(method: string, path: string, { body, etag }: SendOptions = {}): Promise<Read<Body>> {
    const headers: Record<string, string> = { [CONSOLE_KEY_HEADER]: key, accept: "application/json" };
    if (body !== undefined) headers["content-type"] = "application/json";
    if (etag !== undefined) headers["if-match"] = etag;
    const response = await ask(ADMIN + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.ok) return { body: (await readJson(response)) as Body, etag: response.headers.get("etag") ?? "" };
    const problem = await problemOf(response);
    if (response.status === 401 || problem.code === "console_call_foreign")
      onSignedOut({ hasLostChange: method !== "GET" });
    throw problem;
  }
  return { get: (path) => call("GET", path), send: call };
}

/** The key of a new session. */
export async function signIn(token: string, name: string): Promise<string> {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token, name }),
  };
  const response = await ask("/_sluice/console/session", init);
  if (!response.ok) throw await problemOf(response);
  return ((await response.json()) as { readonly key: string }).key;
}

export async function signOut(): Promise<void> {
  await ask("/_sluice/console/session", { method: "DELETE" });
}

async function ask(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, {
      ...init,
      cache: "no-store",
      credentials: "same-origin",
      signal: AbortSignal.timeout(CALL_MS_MAX),
    });
  } catch {
    throw new ApiProblem({ code: "unreachable", title: "The edge cannot be reached." });
  }
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  return text === "" ? undefined : JSON.parse(text);
}

async function problemOf(response: Response): Promise<ApiProblem> {
  try {
    return new ApiProblem({ ...((await response.json()) as Problem), status: response.status });
  } catch {
    const title = `The edge answered ${response.status} without saying why.`;
    return new ApiProblem({ code: "unreadable", title, status: response.status });
  }
}

export function isProblem(error: unknown, code: string): boolean {
  return error instanceof ApiProblem && error.code === code;
}
