import { type Context, Hono } from "hono";
import { z } from "zod";
import { systemClock } from "../../../shared/clock.ts";
import { problemResponse } from "../../../shared/http/errors.ts";
import { systemRandom } from "../../../shared/ids.ts";
import { notFound } from "../../admit/doors/not-found.ts";
import { gateOf } from "../../admit/open-gate.ts";
import { isPlainText } from "../../line/page/plain-text.ts";
import type { EdgeEnvironment } from "../../request/env.ts";
import { log } from "../../request/log.ts";
import { actorOf, recogniseSignIn } from "../admin/operator-token.ts";
import { readInput } from "../admin/read-input.ts";
import { comesFromThisSite, sessionOfPage } from "./console-call.ts";
import { assetResponse, consolePage } from "./console-page.ts";
import { sessionCookie, startSession } from "./console-session.ts";

/**
 * The operator's console under `/_sluice/console`: one page, its script and its style, and the sign-in. Everything it
 * shows and does uses the operator API, so it makes no promises of its own; when the store is unavailable the page
 * still loads and says so.
 */
export function consoleRoutes(): Hono<EdgeEnvironment> {
  const routes = new Hono<EdgeEnvironment>();
  // The key is put into the page only when the browser requests it as a page. In browsers that do not say so, each new
  // page signs in again.
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
  const gate = await gateOf(visit);
  if (!gate.ok) return gate.reason;
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

/** Needs no key: an unwanted sign-out only costs a new sign-in. */
function signOut(c: Context<EdgeEnvironment>): Response {
  const { visit } = c.var;
  if (!comesFromThisSite(visit)) return problemResponse("console_call_foreign", { requestId: visit.requestId });
  return answer({}, sessionCookie({ secure: isSecure(visit.target), value: undefined }));
}

/** Any other body is no token, and gets the answer of a wrong one. */
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
