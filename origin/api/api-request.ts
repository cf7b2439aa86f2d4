import type { Result } from "../../shared/result.ts";

/** A request to the API, from a socket or from a web request. */
export type ApiRequest = {
  readonly method: string;
  /** With any scheme and host; path and query are as sent. */
  readonly url: string;
  readonly headers: RequestHeaders;
  readonly params: Readonly<Record<string, string>>;
  /** Reads up to a bound; may be called once. */
  readonly readBody: (bytesMax: number) => ReadBody | Promise<ReadBody>;
};

export type ReadBody = Result<Buffer, "body_too_large">;

export type RequestHeaders = Pick<Headers, "get" | "has">;

/** The client left before its request was complete, so no answer can be sent. */
export class ClientLeft extends Error {
  override readonly name = "ClientLeft";
}
