import { cookieOf, readAnswer, type Sight } from "../crowd/read-answer.ts";
import { createVisitorRequests } from "../crowd/visitor-requests.ts";
import { createHttpPool } from "../http/http-pool.ts";
import { requestText } from "../http/request-text.ts";
import type { RawAnswer } from "../http/response-reader.ts";
import type { Recorder } from "../record/recorder.ts";
import type { Check } from "../record/run-record.ts";
import type { Target } from "../target/target.ts";

/** Sends the requests of attacks and counts each. */
export type AttackDesk = {
  readonly target: Target;
  readonly ticketCookie: string;
  readonly passCookie: string;
  /** A path of the queue's own routes. */
  readonly route: (verb: "enter" | "heartbeat" | "leave") => string;
  readonly ask: (request: AttackRequest) => Promise<AttackAnswer>;
  /** Returns a place or pass that an attack received, so that the next attack meets the same gate. */
  readonly giveBack: (answer: AttackAnswer) => Promise<void>;
  readonly nowSeconds: () => number;
  readonly close: () => void;
};

export type Attack = { readonly name: string; readonly run: (desk: AttackDesk) => Promise<readonly Check[]> };

type AttackRequest = {
  readonly method?: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly address: string;
  /** Index of the edge; the first by default. */
  readonly edge?: number;
};

export type AttackAnswer = { readonly raw: RawAnswer | undefined; readonly sight: Sight; readonly address: string };

type DeskOptions = {
  readonly target: Target;
  readonly recorder: Recorder;
  /** Since the run began. */
  readonly nowMs: () => number;
  readonly nowSeconds: () => number;
};

const SOCKETS_MAX = 32;

export function openAttackDesk({ target, recorder, nowMs, nowSeconds }: DeskOptions): AttackDesk {
  const { urls, queueId } = target;
  const { ticketCookie, passCookie } = createVisitorRequests(target);
  const pools = urls.map((url) => ({
    host: new URL(url).host,
    pool: createHttpPool({ url, socketsMax: SOCKETS_MAX }),
  }));
  const route = (verb: string) => `/_sluice/queues/${queueId}/${verb}`;

  function ask({ method = "GET", path, headers = {}, address, edge = 0 }: AttackRequest): Promise<AttackAnswer> {
    const dueMs = nowMs();
    const at = pools[edge % pools.length];
    const all = { accept: "application/json", "cf-connecting-ip": address, ...headers };
    return new Promise((resolve) => {
      const onAnswer = (raw: RawAnswer | undefined) => {
        const sight = readAnswer(raw, passCookie);
        recorder.answered({ kind: "attack", dueMs, answeredMs: nowMs(), answer: sight.label });
        resolve({ raw, sight, address });
      };
      at?.pool.send({ text: requestText({ method, path, host: at.host, headers: all }), onAnswer });
    });
  }

  async function giveBack({ raw, sight, address }: AttackAnswer): Promise<void> {
    const cookie =
      sight.state === "waiting"
        ? `${ticketCookie}=${sight.ticket}`
        : sight.state === "admitted"
          ? `${passCookie}=${sight.pass}`
          : raw && cookieOf(raw, ticketCookie);
    if (cookie !== undefined) await ask({ method: "POST", path: route("leave"), headers: { cookie }, address });
  }

  function close(): void {
    for (const { pool } of pools) pool.close();
  }

  return { target, ticketCookie, passCookie, route, ask, giveBack, nowSeconds, close };
}

/** True when the request was refused or sent to the line. A pass in the answer is a free slot, not a bypass. */
export function isKeptOut({ raw, sight }: AttackAnswer): boolean {
  return sight.state !== "served" && (raw === undefined || raw.status < 500);
}
