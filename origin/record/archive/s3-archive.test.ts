import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryFolder } from "../../../kit/temporary-folder.ts";
import type { OrderRow } from "../../engine/changes.ts";
import { openArchive } from "./open-archive.ts";

/** A minimal S3 server: stores objects and checks the signature of each request. */
const objects = new Map<string, Buffer>();
const server = createServer((request, response) => void answer(request, response));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await buffer(request);
  const path = new URL(request.url ?? "", "http://s3").pathname;
  const signature = String(request.headers.authorization);
  const isSigned =
    /^AWS4-HMAC-SHA256 Credential=KEY\/\d{8}\/eu-central-1\/s3\/aws4_request, SignedHeaders=.*host.*, Signature=[0-9a-f]{64}$/.test(
      signature,
    );
  const digest = request.headers["x-amz-content-sha256"];
  const isWhole =
    digest === "UNSIGNED-PAYLOAD" ||
    digest === createHash("sha256").update(body).digest("hex") ||
    request.method === "GET";
  if (!isSigned || !isWhole) return void response.writeHead(403).end();
  if (request.method === "PUT") objects.set(path, body);
  const object = objects.get(path);
  if (object === undefined) response.writeHead(404).end();
  else response.end(object);
}

let settings: Parameters<typeof openArchive>[0];

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const ARCHIVE_URL = `s3://127.0.0.1:${(server.address() as AddressInfo).port}/bucket/venue?region=eu-central-1&insecure=1`;
  settings = { ARCHIVE_URL, SLUICE_DATA_DIR: "unused", AWS_ACCESS_KEY_ID: "KEY", AWS_SECRET_ACCESS_KEY: "SECRET" };
});

afterAll(() => void server.close());

const order: OrderRow = {
  ...{
    id: 7,
    user: "anna",
    pair: "btcidr",
    grid: 1,
    side: "buy",
    type: "limit",
    timeInForce: "GTC",
    postOnly: false,
    ticks: 5,
    lots: 6,
  },
  ...{
    quoteAmount: 0n,
    filledLots: 6,
    filledValue: 2n ** 61n,
    feePaid: 1n,
    status: "filled",
    cancelReason: "",
    clientOrderId: 'ü "1"\n',
  },
  ...{ createdAt: 1_000, updatedAt: 2_000 },
};

it("stores orders in an S3-compatible store and reads them back exactly", async () => {
  const archive = openArchive(settings);
  const { sha256 } = await archive.write("orders/2026/x.jsonl.gz", [order]);
  expect([...objects.keys()]).toEqual(["/bucket/venue/orders/2026/x.jsonl.gz"]);
  expect(await archive.read({ path: "orders/2026/x.jsonl.gz", sha256 })).toEqual([order]);
  await expect(archive.read({ path: "orders/2026/x.jsonl.gz", sha256: "0" })).rejects.toThrow(
    "does not match its checksum",
  );
  await expect(archive.read({ path: "orders/2026/y.jsonl.gz", sha256 })).rejects.toThrow("404");
});

it("stores them in a folder for a file URL, and requires credentials for S3", async () => {
  const archive = openArchive({ ...settings, ARCHIVE_URL: `file://${await temporaryFolder()}` });
  const { sha256 } = await archive.write("orders/x.jsonl.gz", [order]);
  expect(await archive.read({ path: "orders/x.jsonl.gz", sha256 })).toEqual([order]);
  expect(() => openArchive({ ...settings, AWS_ACCESS_KEY_ID: undefined })).toThrow("must be set");
});
