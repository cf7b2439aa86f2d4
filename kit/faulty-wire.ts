import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * A TCP proxy to the bridge that damages replies as networks and broken servers do. Requests get through, unless they
 * are refused.
 */
export type FaultyWire = {
  readonly address: string;
  /**
   * "pass": as it comes. "drop": the request is carried out, then the connection is cut. Text: that is the reply
   * instead. "hang": none. "hold": the reply is kept back until "pass". "refuse": the request is not carried out.
   */
  readonly replyWith: (fault: WireFault) => void;
  readonly stop: () => Promise<void>;
};

export type WireFault = "pass" | "drop" | "hang" | "hold" | "refuse" | { readonly raw: string };

export async function startFaultyWire(port: number): Promise<FaultyWire> {
  let fault: WireFault = "pass";
  const held: (() => void)[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => sockets.delete(socket));
    }
    client.on("data", (request) => {
      if (fault === "refuse") client.destroy();
      else upstream.write(request);
    });
    client.on("end", () => upstream.end());
    client.on("close", () => upstream.destroy());
    upstream.on("data", (reply) => {
      if (fault === "hold") held.push(() => client.write(reply));
      else if (fault === "refuse") client.destroy();
      else answer(client, reply, fault);
    });
    upstream.on("close", () => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    replyWith: (next) => {
      fault = next;
      if (next === "pass") for (const send of held.splice(0)) send();
    },
    stop: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}

function answer(client: Socket, reply: Buffer, fault: Exclude<WireFault, "hold" | "refuse">): void {
  if (fault === "pass") client.write(reply);
  else if (fault === "drop") client.destroy();
  else if (fault !== "hang") client.end(fault.raw);
}
