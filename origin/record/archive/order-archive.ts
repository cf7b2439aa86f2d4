import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { assert } from "../../../shared/assert.ts";
import type { OrderRow } from "../../engine/changes.ts";
import { orderRowSchema } from "../sync/table-queries.ts";

/** Storage for old data: a folder or an S3-compatible store. An object is complete or missing, never partial. */
export type Archive = {
  readonly put: (path: string, content: Buffer) => Promise<void>;
  /** Throws if the object is missing. */
  readonly get: (path: string) => Promise<Buffer>;
};

/** Orders as gzipped lines of JSON, so that any tool can read them in fifty years. */
export type OrderArchive = {
  readonly write: (path: string, orders: readonly OrderRow[]) => Promise<{ readonly sha256: string }>;
  readonly read: (file: ArchiveFile) => Promise<readonly OrderRow[]>;
  /** Undefined if the file does not hold the order. Only the line of the order is parsed. */
  readonly find: (file: ArchiveFile, orderId: number) => Promise<OrderRow | undefined>;
};

type ArchiveFile = { readonly path: string; readonly sha256: string };

/** Yields to trading while it writes. */
const LINES_PER_TURN = 500;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

export function orderArchive(archive: Archive): OrderArchive {
  async function linesOf({ path, sha256 }: ArchiveFile): Promise<readonly string[]> {
    const content = await archive.get(path);
    assert(digestOf(content) === sha256, `${path} in the archive does not match its checksum`);
    const lines = (await decompress(content)).toString("utf8").split("\n");
    return lines.filter((line) => line !== "");
  }

  return {
    async write(path, orders) {
      let text = "";
      for (const [index, order] of orders.entries()) {
        text += `${orderLine(order)}\n`;
        if (index % LINES_PER_TURN === LINES_PER_TURN - 1) await nextTurn();
      }
      const content = await compress(text);
      await archive.put(path, content);
      return { sha256: digestOf(content) };
    },
    read: async (file) => (await linesOf(file)).map(orderFromLine),
    async find(file, orderId) {
      // A client's own text may contain the same characters, so the parsed id decides.
      const lines = (await linesOf(file)).filter((line) => line.includes(`"id":"${orderId}"`));
      return lines.map(orderFromLine).find(({ id }) => id === orderId);
    },
  };
}

/** Numbers as text, as in the table: other JSON readers may round them. */
function orderLine({ grid, ...order }: OrderRow): string {
  const fields = Object.entries(order).map(([name, value]) => [
    name,
    typeof value === "boolean" ? value : String(value),
  ]);
  return JSON.stringify({ ...Object.fromEntries(fields), grid });
}

const orderFromLine = (line: string): OrderRow => orderRowSchema.parse(JSON.parse(line));

function digestOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
