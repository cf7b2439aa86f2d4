import { AwsClient } from "aws4fetch";
import type { Archive } from "./order-archive.ts";

export type S3Place = {
  /**
   * `https://bucket.s3.eu-central-1.amazonaws.com/prefix` or `https://account.r2.cloudflarestorage.com/bucket/prefix`.
   */
  readonly url: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
};

/** Per attempt; aws4fetch itself retries when the store is busy. */
const REQUEST_MS_MAX = 30_000;
const RETRIES_MAX = 3;

/** An S3-compatible store, one object per file. */
export function s3Archive({ url, region, accessKeyId, secretAccessKey }: S3Place): Archive {
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: "s3", retries: RETRIES_MAX });

  async function ask(
    path: string,
    init: { method: "GET" } | { method: "PUT"; body: Uint8Array<ArrayBuffer> },
  ): Promise<Response> {
    const response = await client.fetch(`${url.replace(/\/$/, "")}/${path}`, {
      ...init,
      signal: AbortSignal.timeout(REQUEST_MS_MAX),
    });
    if (!response.ok) throw new Error(`the archive answered ${response.status} to ${init.method} ${path}`);
    return response;
  }

  return {
    put: async (path, content) =>
      void (await (await ask(path, { method: "PUT", body: new Uint8Array(content) })).arrayBuffer()),
    get: async (path) => Buffer.from(await (await ask(path, { method: "GET" })).arrayBuffer()),
  };
}
