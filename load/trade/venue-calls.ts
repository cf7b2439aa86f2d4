import type { Clock } from "../../shared/clock.ts";
import { codeOf } from "../crowd/read-answer.ts";
import type { HttpPool } from "../http/http-pool.ts";
import { requestText } from "../http/request-text.ts";
import { bodyText, type RawAnswer } from "../http/response-reader.ts";
import { NO_ANSWER, type Recorder } from "../record/recorder.ts";
import type { Trader } from "./open-traders.ts";
import { signedHeaders } from "./signed-headers.ts";
import type { WayIn } from "./way-in.ts";

/** Signed requests to the venue, each counted from when it was due. */
export type VenueCalls = (call: VenueCall) => Promise<VenueAnswer>;

export type VenueCall = {
  /** Undefined for what is no part of the load. */
  readonly kind: string | undefined;
  readonly dueMs: number;
  readonly person: TradingPerson;
  readonly method: "GET" | "POST" | "DELETE";
  /** Behind `/api/v1`. */
  readonly path: string;
  readonly json?: unknown;
};

/** Whoever gets no answer from one edge tries the next one. */
export type TradingPerson = { readonly trader: Trader; way: WayIn };

/** Status 0: no answer came. */
export type VenueAnswer = { readonly status: number; readonly code: string; readonly body: unknown };

type CallParts = {
  readonly poolOf: (url: string) => HttpPool;
  /** Where to go when this one does not answer. */
  readonly urlAfter: (url: string) => string;
  readonly recorder: Recorder;
  readonly nowMs: () => number;
  readonly clock: Clock;
};

export function createVenueCalls({ poolOf, urlAfter, recorder, nowMs, clock }: CallParts): VenueCalls {
  let calls = 0;
  return ({ kind, dueMs, person, method, path, json }) => {
    const { trader, way } = person;
    const body = json === undefined ? "" : JSON.stringify(json);
    const full = `/api/v1${path}`;
    const signed = signedHeaders(trader.key, { method, path: full, body, timestampMs: clock.nowMs(), nonce: String(calls++) });
    const headers = {
      accept: "application/json",
      ...(body === "" ? {} : { "content-type": "application/json" }),
      ...way.headers,
      ...signed,
    };
    const text = requestText({ method, path: full, host: new URL(way.url).host, headers, ...(body === "" ? {} : { body }) });
    return new Promise((resolve) => {
      poolOf(way.url).send({
        text,
        onAnswer(raw) {
          const answer = toAnswer(raw);
          if (raw === undefined && person.way === way) person.way = { ...way, url: urlAfter(way.url) };
          if (kind !== undefined) recorder.answered({ kind, dueMs, answeredMs: nowMs(), answer: answer.code });
          resolve(answer);
        },
      });
    });
  };
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
