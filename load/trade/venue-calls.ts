import { signRequest } from "../../kit/sign-request.ts";
import type { Clock } from "../../shared/clock.ts";
import { codeOf } from "../crowd/read-answer.ts";
import type { HttpPool } from "../http/http-pool.ts";
import { requestText } from "../http/request-text.ts";
import { bodyText, type RawAnswer } from "../http/response-reader.ts";
import { NO_ANSWER, NOT_SENT, type Recorder } from "../record/recorder.ts";
import type { Trader } from "./open-traders.ts";
import type { WayIn } from "./way-in.ts";

/**
 * Signed requests to the venue, each measured from when it was due and signed when it is written to its connection. A
 * request that waits for a connection longer than a signature is valid is not sent: a load generator that fell behind
 * would send its whole backlog, and never catch up.
 */
export type VenueCalls = (call: VenueCall) => Promise<VenueAnswer>;

export type VenueCall = {
  /** Undefined for a request that is no part of the load. */
  readonly kind: string | undefined;
  readonly dueMs: number;
  readonly person: TradingPerson;
  readonly method: "GET" | "POST" | "DELETE";
  /** Behind `/api/v1`. */
  readonly path: string;
  readonly json?: unknown;
};

/** A trader who gets no answer from one edge tries the next one. */
export type TradingPerson = { readonly trader: Trader; way: WayIn };

/** Status 0: no answer came, or the request was not sent; the code tells which. */
export type VenueAnswer = { readonly status: number; readonly code: string; readonly body: unknown };

/** The longest that the venue lets a signed request be under way. */
const SIGNATURE_MS_MAX = 10_000;

type CallParts = {
  readonly poolOf: (url: string) => HttpPool;
  /** The next edge, when this one does not answer. */
  readonly urlAfter: (url: string) => string;
  readonly recorder: Recorder;
  readonly nowMs: () => number;
  readonly clock: Clock;
  readonly waitMsMax?: number;
};

export function createVenueCalls(parts: CallParts): VenueCalls {
  const { poolOf, urlAfter, recorder, nowMs, clock, waitMsMax = SIGNATURE_MS_MAX } = parts;
  let calls = 0;
  return (call) => {
    const { kind, dueMs, person } = call;
    const { way } = person;
    return new Promise((resolve) => {
      const settle = (answer: VenueAnswer) => {
        if (kind !== undefined) recorder.answered({ kind, dueMs, answeredMs: nowMs(), answer: answer.code });
        resolve(answer);
      };
      poolOf(way.url).send({
        text: () => signedText(call, { way, timestampMs: clock.nowMs(), nonce: String(calls++) }),
        onAnswer(raw) {
          if (raw === undefined && person.way === way) person.way = { ...way, url: urlAfter(way.url) };
          settle(toAnswer(raw));
        },
        patience: { waitMsMax, onNotSent: () => settle({ status: 0, code: NOT_SENT, body: undefined }) },
      });
    });
  };
}

type Signing = { readonly way: WayIn; readonly timestampMs: number; readonly nonce: string };

function signedText({ person, method, path, json }: VenueCall, { way, timestampMs, nonce }: Signing): string {
  const body = json === undefined ? "" : JSON.stringify(json);
  const full = `/api/v1${path}`;
  const headers = {
    accept: "application/json",
    ...(body === "" ? {} : { "content-type": "application/json" }),
    ...way.headers,
    ...signRequest({ ...person.trader.key, method, path: full, body, timestampMs, nonce, windowMs: SIGNATURE_MS_MAX }),
  };
  return requestText({ method, path: full, host: new URL(way.url).host, headers, ...(body === "" ? {} : { body }) });
}

function toAnswer(raw: RawAnswer | undefined): VenueAnswer {
  if (raw === undefined) return { status: 0, code: NO_ANSWER, body: undefined };
  return { status: raw.status, code: raw.status >= 400 ? codeOf(raw) : String(raw.status), body: jsonOf(raw) };
}

function jsonOf(raw: RawAnswer): unknown {
  try {
    return JSON.parse(bodyText(raw));
  } catch {
    return undefined;
  }
}
