import { problemResponse } from "../shared/http/errors.ts";
import { healthReport, healthStatusCode, type PartHealth, withoutDetails } from "../shared/http/health.ts";
import { type HttpServer, startHttpServer } from "./http-server.ts";

/**
 * Answers at the process's port while it cannot start because a store is being upgraded or is unavailable: `/health`
 * says what the process waits for, every other path gets 503. It listens only once there is something to wait for.
 */
export type WaitingHealth = {
  readonly tell: (sentence: string, part?: string) => void;
  /** Frees the port. */
  readonly stop: () => Promise<void>;
};

const RETRY_AFTER_SECONDS = 5;

export function createWaitingHealth({ host, port }: { readonly host: string; readonly port: number }): WaitingHealth {
  let reason: PartHealth | undefined;
  let server: Promise<HttpServer> | undefined;

  function answer(request: Request): Response {
    if (new URL(request.url).pathname !== "/health" || reason === undefined) {
      return problemResponse("engine_unavailable", { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    const whole = healthReport([{ name: "origin", state: "ok" }, reason]);
    // Requests through the gate see no details.
    const report = request.headers.has("x-forwarded-host") ? withoutDetails(whole) : whole;
    return Response.json(report, { status: healthStatusCode(report), headers: { "cache-control": "no-store" } });
  }

  return {
    tell(sentence, part = "upgrade") {
      reason = { name: part, state: "down", detail: sentence };
      server ??= startHttpServer({ app: { fetch: answer }, host, port });
      // If the port is in use, the main server reports it.
      server.catch(() => {});
    },
    stop: async () => {
      const listening = await server?.catch(() => undefined);
      await listening?.stop();
    },
  };
}
