import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { steadyNowMs } from "../../kit/steady-clock.ts";
import { newTokenKey } from "../../shared/tokens/new-token-key.ts";
import { type Child, startChild } from "../../stack/servers/child.ts";
import { startNodeEdgeServer } from "../../stack/servers/edge-server.ts";
import { freePort } from "../../stack/servers/free-port.ts";
import { rawGet, sendRaw } from "../proxy/raw-http.ts";
import { startRecordingOrigin } from "../proxy/recording-origin.ts";

const fileOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const BARE_PROXY = fileOf("edge/bare/node.ts");
const SIGNING_KEYS = JSON.stringify({ active: "k1", keys: [await newTokenKey("k1")] });

const origin = await startRecordingOrigin();
const children: Child[] = [];
beforeEach(() => origin.reset());
afterAll(async () => {
  await Promise.all(children.map((child) => child.stop()));
  await origin.stop();
});

async function startBareProxy(variables: Readonly<Record<string, string>> = {}) {
  const edge = await startNodeEdgeServer({
    originAddress: origin.address,
    entryFile: BARE_PROXY,
    variables: { REDIS_URL: `redis://127.0.0.1:${await freePort()}`, SLUICE_SIGNING_KEYS: SIGNING_KEYS, ...variables },
  });
  children.push(edge.child);
  return edge;
}

/** The promise of the whole stack; a client that stays connected must not keep the edge from stopping. */
const STOP_WITHIN_MS = 5_000;

describe("the process of the edge on Node", () => {
  it("ends with every fault of its environment at once, and repeats no value", async () => {
    const child = startChild({
      name: "edge",
      command: process.execPath,
      args: ["--import", fileOf("stack/program/lua-loader.ts"), fileOf("edge/node.ts")],
      environment: {
        SLUICE_PORT: "high",
        REDIS_URL: "redis://one:1,redis://hunter2@two:2",
        ORIGIN_TIMEOUT_MS: "soon",
        CLIENT_ADDRESS_FROM: "anywhere",
        SLUICE_SIGNING_KEYS: '{"active":"hunter2","keys":[]}',
      },
    });
    const { code, lastLines } = await child.exited;
    expect(code).toBe(1);
    const faults = lastLines.join("\n");
    for (const name of [
      "SLUICE_PORT",
      "ORIGIN_URL",
      "ORIGIN_TIMEOUT_MS",
      "CLIENT_ADDRESS_FROM",
      "SLUICE_SIGNING_KEYS",
    ]) {
      expect(faults).toContain(name);
    }
    expect(faults).not.toMatch(/hunter2|soon|anywhere/);
  });

  it("names the store among what is missing, and a second node without a cluster among what is wrong", async () => {
    const environments = [
      [{}, "REDIS_URL or UPSTASH_REDIS_REST_URL: must be set"],
      [{ REDIS_URL: "redis://one:1,redis://two:2" }, "REDIS_URL: must be one URL unless SLUICE_REDIS_CLUSTER is 1"],
    ] as const;
    for (const [environment, fault] of environments) {
      const child = startChild({
        name: "edge",
        command: process.execPath,
        args: ["--import", fileOf("stack/program/lua-loader.ts"), fileOf("edge/node.ts")],
        environment: { ...environment, ORIGIN_URL: `http://${origin.address}`, SLUICE_SIGNING_KEYS: SIGNING_KEYS },
      });
      const { code, lastLines } = await child.exited;
      expect([code, lastLines.join("\n")]).toEqual([1, expect.stringContaining(fault)]);
    }
  });

  it("starts and forwards with no store in sight", async () => {
    const edge = await startBareProxy();
    expect((await sendRaw(edge.port, rawGet("/"))).status).toBe(200);
  });

  it("lets an answer under way finish on SIGTERM, takes no new request, and ends with 0", async () => {
    const edge = await startBareProxy();
    let finish: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => {
      origin.answerWith((request, response) => {
        if (request.url !== "/slow") return void response.end("in time");
        finish = () => response.end("whole");
        resolve();
      });
    });
    const answer = sendRaw(edge.port, rawGet("/slow"));
    await arrived;
    process.kill(edge.child.pid, "SIGTERM");
    const isRefused = () => sendRaw(edge.port, rawGet("/new")).then(String, () => "refused");
    await expect.poll(isRefused, { interval: 5 }).toBe("refused");
    finish();
    expect((await answer).body.toString()).toBe("whole");
    expect((await edge.child.exited).code).toBe(0);
  });

  it("ends soon on SIGTERM although clients stay connected", async () => {
    const edge = await startBareProxy();
    origin.answerWith((_request, response) => response.write("never ends"));
    const socket = connect(edge.port, "127.0.0.1");
    socket.write(rawGet("/forever"));
    await once(socket, "data");
    const startedAt = steadyNowMs();
    process.kill(edge.child.pid, "SIGTERM");
    expect((await edge.child.exited).code).toBe(0);
    expect(steadyNowMs() - startedAt).toBeLessThan(STOP_WITHIN_MS);
  });

  it("asks the origin over connections that it keeps, and not over one that the origin has given up", async () => {
    const edge = await startBareProxy();
    const ports = new Set<number | undefined>();
    origin.answerWith((request, response) => {
      ports.add(request.socket.remotePort);
      response.end("ok");
    });
    for (let request = 0; request < 20; request++) expect((await sendRaw(edge.port, rawGet("/"))).status).toBe(200);
    expect(ports.size).toBe(1);
    origin.answerWith((request, response) =>
      response.setHeader("connection", "close").end(String(request.socket.remotePort)),
    );
    for (let request = 0; request < 3; request++) expect((await sendRaw(edge.port, rawGet("/"))).status).toBe(200);
  });
});
