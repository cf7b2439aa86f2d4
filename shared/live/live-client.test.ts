import { expect, it } from "vitest";
import { createLiveClient, type LiveSocket } from "./live-client.ts";

type TestSocket = LiveSocket & { readonly sent: string[] };

it("asks again on another socket when the venue cannot begin a subscription yet", async () => {
  const sockets: TestSocket[] = [];
  const client = createLiveClient({
    connect() {
      const handlers = { onopen: null, onmessage: null, onclose: null, onerror: null };
      const sent: string[] = [];
      const socket: TestSocket = {
        ...handlers,
        sent,
        send: (text) => void sent.push(text),
        close: () => socket.onclose?.({ code: 1000, reason: "" }),
      };
      sockets.push(socket);
      return socket;
    },
    random: () => 0,
    later(run, afterMs) {
      // Only the pause before the next attempt.
      if (afterMs < 1_000) queueMicrotask(run);
      return () => {};
    },
  });
  client.subscribe("book:btcidr", { onMessage: () => {} });
  sockets[0]?.onopen?.();
  expect(sockets[0]?.sent).toHaveLength(1);
  sockets[0]?.onmessage?.({ data: JSON.stringify({ type: "error", id: 1, code: "store_unavailable" }) });
  await Promise.resolve();
  expect(sockets).toHaveLength(2);
  sockets[1]?.onopen?.();
  expect(sockets[1]?.sent.join()).toContain("book:btcidr");
  client.stop();
});
