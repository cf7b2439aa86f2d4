import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createHttpPool, type HttpPool } from "./http-pool.ts";
import { requestText } from "./request-text.ts";
import { bodyText, headerOf, headersOf, type RawAnswer } from "./response-reader.ts";

let server: Server;
let pool: HttpPool;
afterEach(() => {
  pool.close();
  server.closeAllConnections();
  server.close();
});

async function serve(listener: RequestListener, socketsMax = 4): Promise<number> {
  server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  pool = createHttpPool({ url: `http://127.0.0.1:${port}`, socketsMax });
  return port;
}

function ask(path: string): Promise<RawAnswer | undefined> {
  return new Promise((resolve) =>
    pool.send({ text: requestText({ method: "GET", path, host: "test" }), onAnswer: resolve }),
  );
}

describe("the pool", () => {
  it("makes the text of a request when it is written, not when it is queued", async () => {
    const answerNext = Promise.withResolvers<void>();
    await serve((req, res) => {
      if (req.url === "/first") void answerNext.promise.then(() => res.end());
      else res.end();
    }, 1);
    const first = ask("/first");
    let made = 0;
    const text = () => requestText({ method: "GET", path: `/${++made}`, host: "test" });
    const second = new Promise((resolve) => pool.send({ text, onAnswer: resolve }));
    expect([pool.pressure().waiting, made]).toEqual([1, 0]);
    answerNext.resolve();
    await Promise.all([first, second]);
    expect(made).toBe(1);
  });

  it("does not send a request that waited longer than it may, even while no connection comes free", async () => {
    const paths: string[] = [];
    await serve((req) => void paths.push(req.url ?? ""), 1);
    const text = (path: string) => requestText({ method: "GET", path, host: "test" });
    pool.send({ text: text("/unanswered"), onAnswer: () => {} });
    await new Promise<void>((resolve) => {
      pool.send({ text: text("/late"), onAnswer: () => {}, patience: { waitMsMax: 1, onNotSent: resolve } });
    });
    expect(pool.pressure().waiting).toBe(0);
    expect(paths).not.toContain("/late");
  });

  it("gives each caller its own answer, within the limit of connections", async () => {
    const sockets = new Set<unknown>();
    await serve((req, res) => {
      sockets.add(req.socket);
      setImmediate(() => res.end(`you asked for ${req.url}`));
    });
    const paths = Array.from({ length: 200 }, (_, index) => `/${index}`);
    const answers = await Promise.all(paths.map(ask));
    expect(answers.map((answer) => answer && bodyText(answer))).toEqual(paths.map((path) => `you asked for ${path}`));
    expect(sockets.size).toBeLessThanOrEqual(4);
    expect(pool.pressure()).toMatchObject({ underway: 0, waiting: 0, waitingMost: 196 });
  });

  it("returns the head as sent, every line of a header, and a chunked body in one piece", async () => {
    await serve((_req, res) => {
      res.setHeader("Set-Cookie", ["a=Upper; Path=/", "b=2"]);
      res.write("one, ");
      setImmediate(() => res.end("two"));
    });
    const answer = await ask("/");
    expect(answer?.isChunked).toBe(true);
    expect(answer && bodyText(answer)).toBe("one, two");
    expect([...headersOf(answer?.head ?? "", "set-cookie")]).toEqual(["a=Upper; Path=/", "b=2"]);
    expect(answer && headerOf(answer, "CONNECTION")).toBe("keep-alive");
    expect(answer && headerOf(answer, "absent")).toBeUndefined();
  });

  it("resends a request only when the server had closed the idle connection", async () => {
    let asked = 0;
    await serve((req, res) => {
      asked++;
      if (req.url === "/first" || asked > 2) res.end("ok");
      else req.socket.destroy();
    }, 1);
    await ask("/first");
    expect((await ask("/again"))?.status).toBe(200);
    expect([asked, pool.pressure().resent]).toEqual([3, 1]);
  });

  it("reports a missing answer: connection refused, or broken before the answer", async () => {
    const port = await serve((req) => req.socket.destroy());
    expect(await ask("/")).toBeUndefined();
    const refused = createHttpPool({ url: `http://127.0.0.1:${port}`, socketsMax: 1 });
    server.closeAllConnections();
    server.close();
    await once(server, "close");
    expect(
      await new Promise((resolve) => refused.send({ text: "GET / HTTP/1.1\r\n\r\n", onAnswer: resolve })),
    ).toBeUndefined();
    refused.close();
  });

  it("ends every waiting request without an answer when it is closed", async () => {
    await serve(() => {}, 1);
    const asked = [ask("/under-way"), ask("/in-line")];
    pool.close();
    expect(await Promise.all([...asked, ask("/late")])).toEqual([undefined, undefined, undefined]);
  });
});
