import { beforeEach, describe, expect, it } from "vitest";
import { startGateStack } from "./gate-stack.ts";
import { createVisitor, JSON_PLEASE } from "./visitor.ts";

const stack = await startGateStack();
const { origin, redis, url } = stack;

beforeEach(() => origin.reset());

const PAGE = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const metadata = (site: string, mode: string, dest: string) => ({
  "sec-fetch-site": site,
  "sec-fetch-mode": mode,
  "sec-fetch-dest": dest,
});

/** All places, reservations and slots. */
async function everybody(queueId: string): Promise<number> {
  return (await redis.zcard(`queue:{${queueId}}:waiting`)) + (await redis.zcard(`queue:{${queueId}}:active`));
}

describe("a form that a page of another site sends", () => {
  it.each([
    ["as browsers say it", metadata("cross-site", "navigate", "document")],
    ["where only Origin says it", { origin: "https://bank.test" }],
    ["where the origin is kept secret", { origin: "null" }],
  ])("takes no place, sets no cookie and is not carried out, %s", async (_how, headers) => {
    await stack.setQueue("forms");
    for (const path of ["/forms/paid", "/_sluice/queues/forms/enter"]) {
      if (path.startsWith("/_sluice") && !("sec-fetch-mode" in headers)) continue;
      const seen = await createVisitor(url).send("POST", path, { ...PAGE, ...headers }, "paid=yes");
      expect([path, seen.status, seen.setCookies]).toEqual([path, 403, []]);
    }
    expect([await everybody("forms"), origin.requests]).toEqual([0, []]);
  });

  it("is carried out for a visitor whose pass came along after all", async () => {
    await stack.setQueue("with-pass");
    const visitor = createVisitor(url);
    await visitor.get("/with-pass/");
    const seen = await visitor.send(
      "POST",
      "/with-pass/paid",
      { ...PAGE, ...metadata("cross-site", "navigate", "document") },
      "paid=yes",
    );
    expect([seen.status, seen.json["bytes"]]).toEqual([200, 8]);
  });

  it("cannot give up a visitor's place, even with cookies", async () => {
    await stack.setQueue("given-up", { sameSite: "none", mode: "paused" });
    const visitor = createVisitor(url);
    await visitor.get("/given-up/", PAGE);
    const seen = await visitor.send(
      "POST",
      "/_sluice/queues/given-up/leave",
      metadata("cross-site", "no-cors", "empty"),
    );
    expect([seen.status, seen.json["code"], await everybody("given-up")]).toEqual([403, "other_site_refused", 1]);
  });

  it("finds cookies of SameSite=Lax on plain http, also where the queue asks for None", async () => {
    await stack.setQueue("plain-http", { sameSite: "none" });
    const seen = await createVisitor(url).get("/plain-http/");
    expect(seen.setCookies.map((line) => /SameSite=(\w+)/.exec(line)?.[1])).toEqual(["Lax"]);
  });
});

describe("a request that is not a visit", () => {
  it.each([
    ["a picture", { accept: "image/webp,*/*;q=0.8", ...metadata("same-origin", "no-cors", "image") }],
    ["a script", { accept: "*/*", ...metadata("same-origin", "no-cors", "script") }],
    ["a style sheet without fetch metadata", { accept: "text/css,*/*;q=0.1" }],
    ["a program of another site", { accept: "application/json", ...metadata("cross-site", "cors", "empty") }],
    ["a frame on another site", { ...PAGE, ...metadata("cross-site", "navigate", "iframe") }],
    [
      "a page that a browser fetches ahead",
      { ...PAGE, ...metadata("same-origin", "navigate", "document"), "sec-purpose": "prefetch" },
    ],
  ])("takes no place and sets no cookie: %s", async (_name, headers) => {
    await stack.setQueue("parts", { waitingStatus: 429 });
    const seen = await createVisitor(url).get("/parts/x", headers);
    expect([seen.status, seen.json["code"], seen.setCookies, seen.headers.has("retry-after")]).toEqual([
      429,
      "queue_waiting",
      [],
      true,
    ]);
    expect([await everybody("parts"), origin.requests]).toEqual([0, []]);
  });

  it("is forwarded with the pass of its page, and in an open queue", async () => {
    await stack.setQueue("with-page");
    const image = { accept: "image/webp,*/*;q=0.8", ...metadata("same-origin", "no-cors", "image") };
    const visitor = createVisitor(url);
    await visitor.get("/with-page/", PAGE);
    expect((await visitor.get("/with-page/logo.png", image)).json["url"]).toBe("/with-page/logo.png");
    await stack.setQueue("with-page", { mode: "open" });
    expect((await createVisitor(url).get("/with-page/logo.png", image)).json["url"]).toBe("/with-page/logo.png");
  });

  it("leaves a waiting visitor the ticket, and asks the store nothing", async () => {
    await stack.setQueue("parts-line", { mode: "paused" });
    const visitor = createVisitor(url);
    await visitor.get("/parts-line/", PAGE);
    const ticket = visitor.cookies.get("sluice-ticket-parts-line");
    const due = await redis.zrange("queue:{parts-line}:beats", "0", "-1", "WITHSCORES");
    const seen = await visitor.get("/parts-line/x.png", { accept: "image/png" });
    expect([seen.json["code"], visitor.cookies.get("sluice-ticket-parts-line")]).toEqual(["queue_waiting", ticket]);
    expect(await redis.zrange("queue:{parts-line}:beats", "0", "-1", "WITHSCORES")).toEqual(due);
  });

  it("a program of the same site, or one without a browser, joins and gets JSON", async () => {
    await stack.setQueue("programs", { mode: "paused" });
    const own = await createVisitor(url).get("/programs/api", {
      ...JSON_PLEASE,
      ...metadata("same-origin", "cors", "empty"),
    });
    const plain = await createVisitor(url).get("/programs/api", { accept: "*/*" });
    expect([own.json["state"], plain.json["state"]]).toEqual(["waiting", "waiting"]);
  });
});
