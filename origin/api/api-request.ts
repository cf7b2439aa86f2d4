import type { Result } from "../../shared/result.ts";

/** A request to the API as the rules see it, wherever it came from. */
export type ApiRequest = {
  readonly method: string;
  /** With any scheme and host before the path; path and query are as sent. */
  readonly url: string;
  readonly headers: RequestHeaders;
  readonly params: Readonly<Record<string, string>>;
  /** Up to a bound; may be called once. */
  readonly readBody: (bytesMax: number) => ReadBody | Promise<ReadBody>;
};

export type ReadBody = Result<Buffer, "body_too_large">;

export type RequestHeaders = Pick<Headers, "get" | "has">;

/** The client left before its request was complete: nobody is there to be answered. */
export class ClientLeft extends Error {
  override readonly name = "ClientLeft";
}
