import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { closeFrame, Tunnel } from "../../edge/node/tunnel.ts";
import type { SessionState } from "../../edge/proxy/platform.ts";
import { steadyNowMs } from "../../kit/steady-clock.ts";

/** Shorter than the time that is left for last words, so that it cannot be what closed a socket. */
const SOON_MS = 500;

const server = createServer({ allowHalfOpen: true });
server.listen(0, "127.0.0.1");
await once(server, "listening");
afterAll(() => server.close());

async function socketPair(): Promise<{ readonly near: Socket; readonly far: Socket }> {
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const far = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", allowHalfOpen: true });
  far.on("error", () => undefined);
  const [near] = await accepted;
  return { near, far };
}

type Options = {
  readonly heads?: readonly [string, string];
  readonly check?: (use: { isInUse: boolean }) => Promise<SessionState>;
};

/** The far ends of an open tunnel: a client and an origin. */
async function openTunnel({
  heads = ["", ""],
  check,
}: Options = {}): Promise<{ readonly client: Socket; readonly origin: Socket }> {
  const toClient = await socketPair();
  const toOrigin = await socketPair();
  const tunnel = new Tunnel({ origin: toOrigin.near, originHead: Buffer.from(heads[1]) });
  if (check !== undefined) tunnel.watchWith({ check });
  tunnel.open(toClient.near, Buffer.from(heads[0]));
  return { client: toClient.far, origin: toOrigin.far };
}

async function msUntil(socket: Socket, event: "end" | "close"): Promise<number> {
  const startedAt = steadyNowMs();
  socket.resume();
  await once(socket, event);
  return steadyNowMs() - startedAt;
}

describe("a tunnel", () => {
  it("carries what came with the handshake before everything else", async () => {
    const { client, origin } = await openTunnel({ heads: ["from the client", "from the origin"] });
    const [[atClient], [atOrigin]] = (await Promise.all([once(client, "data"), once(origin, "data")])) as [
      [Buffer],
      [Buffer],
    ];
    expect([atClient.toString(), atOrigin.toString()]).toEqual(["from the origin", "from the client"]);
    client.destroy();
  });

  it.each(["client", "origin"] as const)("ends at once when the %s is reset", async (who) => {
    const { client, origin } = await openTunnel();
    const [left, other] = who === "client" ? [client, origin] : [origin, client];
    left.write("something");
    await once(other, "data");
    const ended = msUntil(other, "end");
    left.resetAndDestroy();
    expect(await ended).toBeLessThan(SOON_MS);
    other.destroy();
  });

  it("lets the other side finish when one has said all, and not for ever", async () => {
    const { client, origin } = await openTunnel();
    client.end("the last word");
    origin.resume();
    await once(origin, "end");
    origin.write("and an answer");
    expect(String((await once(client, "data"))[0])).toBe("and an answer");
    await once(client, "close");
  });

  it("of a session that is over is closed on both sides, also when both are silent", async () => {
    const { client, origin } = await openTunnel({ check: async () => "expired" });
    const [[atClient], [atOrigin]] = (await Promise.all([once(client, "data"), once(origin, "data")])) as [
      [Buffer],
      [Buffer],
    ];
    expect(atClient.equals(closeFrame({ code: 4002, reason: "expired", isFromClient: false }))).toBe(true);
    expect(atOrigin.equals(closeFrame({ code: 4002, reason: "expired", isFromClient: true }))).toBe(true);
    client.destroy();
    origin.destroy();
  });

  it("of a session that is over ends although a frame never does", async () => {
    const { client, origin } = await openTunnel({ check: async () => "revoked" });
    origin.write(Buffer.from([0x82, 100, 1, 2, 3]));
    const [frame] = (await once(client, "data")) as [Buffer];
    expect(frame).toHaveLength(5);
    await msUntil(client, "end");
    client.destroy();
    origin.destroy();
  });

  it("tells its watch whether the client has sent a message, and a failed check ends nothing", async () => {
    const uses: boolean[] = [];
    const { client, origin } = await openTunnel({
      check: async ({ isInUse }) => {
        uses.push(isInUse);
        if (uses.length === 1) throw new Error("the store is unavailable");
        return "running";
      },
    });
    origin.resume();
    client.write(Buffer.from([0x89, 0x80, 0, 0, 0, 0]));
    await expect.poll(() => uses.length).toBe(1);
    client.write(Buffer.from([0x81, 0x81, 0, 0, 0, 0, 65]));
    await expect.poll(() => uses).toContain(true);
    expect(uses[0]).toBe(false);
    expect(client.destroyed).toBe(false);
    client.destroy();
  });
});
