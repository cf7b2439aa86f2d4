import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

/** A client of the venue: enters through the gate, signs in, and sends requests with both tokens. */
export type VenueClient = {
  readonly userId: string;
  readonly call: (method: string, path: string, json?: unknown) => Promise<ClientAnswer>;
};

export type ClientAnswer = { readonly status: number; readonly body: unknown };

export class VenueRefusal extends Error {
  override readonly name = "VenueRefusal";
}

type SignIn = { readonly url: string; readonly username: string; readonly password: string };

const ADMITTED_WITHIN_MS = 60_000;
const REQUEST_MS_MAX = 5_000;

const turnSchema = z.object({ state: z.string(), pollAfterMs: z.number().optional() });
const signedInSchema = z.object({ accessToken: z.string(), user: z.object({ id: z.string() }) });
const problemSchema = z.object({ code: z.string(), detail: z.string().optional() }).catch({ code: "unknown" });

/**
 * An access token is valid for 15 minutes and the pass for an hour: after a 401 the client enters and signs in again.
 */
export async function openVenueClient({ url, username, password }: SignIn): Promise<VenueClient> {
  const cookies = new Map<string, string>();
  let token = "";
  let userId = "";

  async function send(method: string, path: string, json?: unknown): Promise<ClientAnswer> {
    const response = await fetch(url + path, {
      method,
      signal: AbortSignal.timeout(REQUEST_MS_MAX),
      headers: {
        accept: "application/json",
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
        ...(json === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  }

  async function passTheGate(): Promise<void> {
    const deadline = performance.now() + ADMITTED_WITHIN_MS;
    let turn = turnSchema.parse((await send("POST", "/_sluice/queues/venue/enter")).body);
    while (turn.state !== "admitted") {
      if (performance.now() > deadline) throw new VenueRefusal("the gate did not admit the client within a minute");
      await sleep(turn.pollAfterMs ?? 1_000);
      turn = turnSchema.parse((await send("POST", "/_sluice/queues/venue/heartbeat")).body);
    }
  }

  async function signIn(): Promise<void> {
    token = "";
    await passTheGate();
    const answer = await send("POST", "/api/v1/auth/login", { username, password });
    if (answer.status !== 200) throw new VenueRefusal(`${username} could not sign in: ${problemOf(answer)}`);
    const signedIn = signedInSchema.parse(answer.body);
    token = signedIn.accessToken;
    userId = signedIn.user.id;
  }

  await signIn();
  return {
    userId,
    async call(method, path, json) {
      const answer = await send(method, `/api/v1${path}`, json);
      if (answer.status !== 401) return answer;
      await signIn();
      return send(method, `/api/v1${path}`, json);
    },
  };
}

export function problemOf({ status, body }: ClientAnswer): string {
  const { code, detail } = problemSchema.parse(body);
  return detail === undefined ? `${status} ${code}` : `${status} ${code}: ${detail}`;
}
