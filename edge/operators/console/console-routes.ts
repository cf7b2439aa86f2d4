import { type Context, Hono } from "hono";
import { z } from "zod";
import { systemClock } from "../../shared/clock.ts";
import { problemResponse } from "../../shared/errors.ts";
import { systemRandom } from "../../shared/ids.ts";
import { actorOf, recogniseSignIn } from "../admin/operator-token.ts";
import { readInput } from "../admin/read-input.ts";
import type { EdgeEnvironment } from "../env.ts";
import { gateOfIsolate } from "../gate/open-gate.ts";
import { log } from "../log.ts";
import { isPlainText } from "../room/plain-text.ts";
import { notFound } from "../visitor/not-found.ts";
import { comesFromThisSite, sessionOfPage } from "./console-call.ts";
import { assetResponse, consolePage } from "./console-page.ts";
import { sessionCookie, startSession } from "./console-session.ts";

/**
 * The operator's console under `/_sluice/console`: one page, its script and its style, and the sign-in. Everything it shows and
 * does goes through the operator API, so it promises nothing of its own; with the store down the page still comes and says so.
 */
export function consoleRoutes(): Hono<EdgeEnvironment> {
  const routes = new Hono<EdgeEnvironment>();
  // The key goes into the page only when it is asked for as a page. Where a browser does not say so, each new page signs in anew.
  routes.get("/", async (c) => consolePage({ session: await sessionOfPage(c.var.visit) }));
  routes.post("/session", signIn);
  routes.delete("/session", signOut);
  routes.get("/:asset", async (c) => (await assetResponse(c.req.raw, c.req.param("asset"))) ?? notFound(c));
  routes.all("/*", notFound);
  return routes;
}

const BODY_BYTES_MAX = 4_096;
const NAME_CHARS_MAX = 60;
const signInSchema = z.strictObject({
  token: z.string().min(1),
  name: z.string().trim().max(NAME_CHARS_MAX).refine(isPlainText).default(""),
});

async function signIn(c: Context<EdgeEnvironment>): Promise<Response> {
  const { visit } = c.var;
  const { requestId, configuration, target } = visit;
  if (!comesFromThisSite(visit)) return problemResponse("console_call_foreign", { requestId });
  const gate = await gateOfIsolate(configuration);
  if (!gate.ok) {
    log("error", "SLUICE_SIGNING_KEYS cannot be used", { requestId, faults: gate.reason });
    return problemResponse("internal_error", { requestId });
  }
  const { token, name } = await signInOf(c);
  const operator = await recogniseSignIn(visit, gate.value.limits.admin, token);
  if (!operator.ok) return operator.reason;
  const session = await startSession(configuration, {
    operator: operator.value,
    name,
    nowMs: systemClock.nowMs(),
    fillRandom: systemRandom,
  });
  log("info", "an operator signed in to the console", { requestId, actor: actorOf(session) });
  return answer(
    { key: session.key, expiresAt: session.expiresAtMs },
    sessionCookie({ secure: isSecure(target), value: session.cookieValue }),
  );
}

/** Needs no key: who is signed out against his will only signs in again. */
function signOut(c: Context<EdgeEnvironment>): Response {
  const { visit } = c.var;
  if (!comesFromThisSite(visit)) return problemResponse("console_call_foreign", { requestId: visit.requestId });
  return answer({}, sessionCookie({ secure: isSecure(visit.target), value: undefined }));
}

/** Whatever else was sent is no token, and gets the answer that a wrong one gets. */
async function signInOf(c: Context<EdgeEnvironment>): Promise<z.output<typeof signInSchema>> {
  const input = await readInput(c, { body: { schema: signInSchema, bytesMax: BODY_BYTES_MAX } });
  return input.ok ? (input.value.body as z.output<typeof signInSchema>) : { token: "", name: "" };
}

function answer(body: unknown, cookie: string): Response {
  return Response.json(body, { headers: { "cache-control": "no-store", "set-cookie": cookie } });
}

function isSecure({ protocol }: { readonly protocol: string }): boolean {
  return protocol === "https";
}
