import { type ChildProcess, fork } from "node:child_process";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Logger } from "pino";
import { problemResponse } from "../../shared/http/errors.ts";
import { refuseUpgrade } from "../accounts/admission/admit-upgrade.ts";
import type { LiveHost } from "./live-server.ts";
import type { FromLive, ToLive } from "./process-messages.ts";
import type { SignIn } from "./sockets/live-identity.ts";

type ProcessParts = { readonly signIn: SignIn; readonly log: Logger };

const ENTRY = fileURLToPath(new URL("../live-main.ts", import.meta.url));
const LOADER = new URL("../../stack/program/lua-loader.ts", import.meta.url).href;
const RESTART_MS = 500;
const STOP_MS_MAX = 1_500;
const RETRY_AFTER_SECONDS = 2;

/**
 * Sockets in a process of their own: with thousands of them, writing takes a whole core, which the engine needs. When
 * that process ends, clients reconnect and resume, and the next one starts; until then new sockets get 503.
 */
export function startLiveProcess({ signIn, log }: ProcessParts): LiveHost {
  let child = start();
  let isReady = false;
  let isStopping = false;

  function start(): ChildProcess {
    const started = fork(ENTRY, [], { execArgv: ["--import", LOADER], serialization: "advanced" });
    started.on("message", (message) => void receive(started, message as FromLive));
    started.once("exit", (code, signal) => void restart(code, signal));
    // The machine may refuse a process for a while; the engine beside it continues.
    started.on("error", (error) => {
      log.error({ err: error }, "the process of the sockets has a fault");
      if (started.pid === undefined) void restart(null, null);
    });
    return started;
  }

  async function restart(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    isReady = false;
    if (isStopping) return;
    log.error({ code, signal }, "the process of the sockets has ended: starting it again");
    await sleep(RESTART_MS, undefined, { ref: false });
    if (!isStopping) child = start();
  }

  async function receive(from: ChildProcess, message: FromLive): Promise<void> {
    if (message.kind === "ready") isReady = true;
    else {
      const result = await signIn(message.credentials, message.address).catch(() => undefined);
      send(from, { kind: "signedIn", id: message.id, result });
    }
  }

  function send(to: ChildProcess, message: ToLive, socket?: Socket): void {
    if (to.connected) to.send(message, socket, (error) => error !== null && socket?.destroy());
    else socket?.destroy();
  }

  const unavailable = () => problemResponse("store_unavailable", { retryAfterSeconds: RETRY_AFTER_SECONDS });

  return {
    accept(handshake, socket, head) {
      if (isReady) send(child, { kind: "socket", handshake, head: head.toString("base64") }, socket as Socket);
      else void refuseUpgrade(socket, unavailable());
    },
    acceptStream(request, outgoing) {
      const { socket } = outgoing;
      // Node detaches the response from the socket that it sends to another process.
      if (isReady && socket !== null) send(child, { kind: "stream", request }, socket);
      else if (socket !== null) void refuseUpgrade(socket, unavailable());
    },
    async stop() {
      isStopping = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
      send(child, { kind: "stop" });
      await Promise.race([exited, sleep(STOP_MS_MAX, undefined, { ref: false })]);
      child.kill("SIGKILL");
      await exited;
    },
  };
}
