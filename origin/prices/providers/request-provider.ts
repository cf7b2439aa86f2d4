import { type LookupAddress, lookup } from "node:dns";
import { type IncomingMessage, type RequestOptions, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { isPublicAddress } from "../../../shared/net/public-address.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import { namesPrivateAddress } from "./describe-provider.ts";

/**
 * One GET to a provider. The URL is an admin's choice, so it reaches public addresses only, whatever its name resolves
 * to, and follows no redirect; `privateHosts` names exceptions, such as a proxy in one's own network. Time and size are
 * bounded. A fault never contains the URL or a header: they may carry a secret.
 */
export type ProviderRequest = { readonly url: string; readonly headers: Readonly<Record<string, string>> };

export type RequestFault = {
  readonly reason: "unreachable" | "private_address" | "timeout" | "redirected" | "status" | "too_large" | "encoded";
  readonly status?: number;
  readonly retryAfterMs?: number | undefined;
};

export type SendRequest = (request: ProviderRequest) => Promise<Result<string, RequestFault>>;

const ANSWER_MS_MAX = 10_000;
/** The largest answer in use, TGJU's, has about 300 kB. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

type SendOptions = { readonly privateHosts: readonly string[]; readonly answerMsMax?: number };

export function createSendRequest({ privateHosts, answerMsMax = ANSWER_MS_MAX }: SendOptions): SendRequest {
  return ({ url, headers }) => {
    const target = new URL(url);
    const isAllowed = privateHosts.includes(target.host);
    if (!isAllowed && namesPrivateAddress(url)) return Promise.resolve(fail({ reason: "private_address" }));
    const open = target.protocol === "https:" ? requestHttps : requestHttp;
    const options: RequestOptions = {
      method: "GET",
      headers: { accept: "application/json", "accept-encoding": "identity", "user-agent": "sluice-prices", ...headers },
      agent: false,
      ...(isAllowed ? {} : { lookup: lookupPublic }),
    };
    return new Promise((resolve) => {
      const outgoing = open(target, options, (incoming) => void readAnswer(incoming).then(settle, () => settle(LOST)));
      const timer = setTimeout(() => settle(fail({ reason: "timeout" })), answerMsMax);
      outgoing.on("error", (error) =>
        settle(error.message === NO_PUBLIC_ADDRESS ? fail({ reason: "private_address" }) : LOST),
      );
      outgoing.end();
      function settle(result: Result<string, RequestFault>): void {
        clearTimeout(timer);
        resolve(result);
        outgoing.destroy();
      }
    });
  };
}

const LOST = fail({ reason: "unreachable" } as const);
const HTTP_OK = 200;

async function readAnswer(incoming: IncomingMessage): Promise<Result<string, RequestFault>> {
  const { statusCode: status = 0, headers } = incoming;
  if (status >= 300 && status < 400) return fail({ reason: "redirected", status });
  if (status !== HTTP_OK) return fail({ reason: "status", status, retryAfterMs: retryAfterMs(headers["retry-after"]) });
  if ((headers["content-encoding"] ?? "identity") !== "identity") return fail({ reason: "encoded" });
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) return fail({ reason: "too_large" });
    chunks.push(chunk);
  }
  return incoming.complete ? ok(Buffer.concat(chunks).toString("utf8")) : LOST;
}

/** A day: a provider that asks for longer is asked again after it. */
const RETRY_AFTER_SECONDS_MAX = 86_400;

function retryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined || !/^\d{1,9}$/.test(header)) return undefined;
  return Math.min(Number(header), RETRY_AFTER_SECONDS_MAX) * 1_000;
}

const NO_PUBLIC_ADDRESS = "the name has no public address";

/** Called for each connection, so that a later change of the name gains nothing. */
const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    if (error !== null) return callback(error, []);
    const [first, ...rest] = addresses.filter(({ address }) => isPublicAddress(address));
    if (first === undefined) return callback(new Error(NO_PUBLIC_ADDRESS), []);
    if (options.all === true) return callback(null, [first, ...rest]);
    return callback(null, first.address, first.family);
  });
};
