import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { assert } from "../../shared/assert.ts";
import type { OrderRow } from "../engine/changes.ts";
import { orderRowSchema } from "../sync/table-queries.ts";

/** Where old things go: a folder, or any store that speaks S3. What was put is there or not there, never half. */
export type Archive = {
  readonly put: (path: string, content: Buffer) => Promise<void>;
  /** Throws when it is not there. */
  readonly get: (path: string) => Promise<Buffer>;
};

/** Orders as gzipped lines of JSON, so that any tool can read them in fifty years. */
export type OrderArchive = {
  readonly write: (path: string, orders: readonly OrderRow[]) => Promise<{ readonly sha256: string }>;
  readonly read: (file: { readonly path: string; readonly sha256: string }) => Promise<readonly OrderRow[]>;
};

const compress = promisify(gzip);
const decompress = promisify(gunzip);

export function orderArchive(archive: Archive): OrderArchive {
  return {
    async write(path, orders) {
      const content = await compress(orders.map((order) => `${orderLine(order)}\n`).join(""));
      await archive.put(path, content);
      return { sha256: digestOf(content) };
    },
    async read({ path, sha256 }) {
      const content = await archive.get(path);
      assert(digestOf(content) === sha256, `${path} in the archive is not what was written`);
      const lines = (await decompress(content)).toString("utf8").split("\n");
      return lines.filter((line) => line !== "").map((line) => orderRowSchema.parse(JSON.parse(line)));
    },
  };
}

/** Numbers as texts, as in the table: JSON readers elsewhere may not have as many digits. */
function orderLine({ grid, ...order }: OrderRow): string {
  const fields = Object.entries(order).map(([name, value]) => [name, typeof value === "boolean" ? value : String(value)]);
  return JSON.stringify({ ...Object.fromEntries(fields), grid });
}

function digestOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
