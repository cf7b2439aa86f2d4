import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
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
  readonly read: (file: ArchiveFile) => Promise<readonly OrderRow[]>;
  /** One of them; undefined when the file does not hold it. Only its own line is taken apart. */
  readonly find: (file: ArchiveFile, orderId: number) => Promise<OrderRow | undefined>;
};

type ArchiveFile = { readonly path: string; readonly sha256: string };

/** A file is written while people trade. */
const LINES_PER_TURN = 500;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

export function orderArchive(archive: Archive): OrderArchive {
  async function linesOf({ path, sha256 }: ArchiveFile): Promise<readonly string[]> {
    const content = await archive.get(path);
    assert(digestOf(content) === sha256, `${path} in the archive is not what was written`);
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
      // The id may also stand in a client's own text, so what was found is looked at.
      const lines = (await linesOf(file)).filter((line) => line.includes(`"id":"${orderId}"`));
      return lines.map(orderFromLine).find(({ id }) => id === orderId);
    },
  };
}

/** Numbers as texts, as in the table: JSON readers elsewhere may not have as many digits. */
function orderLine({ grid, ...order }: OrderRow): string {
  const fields = Object.entries(order).map(([name, value]) => [name, typeof value === "boolean" ? value : String(value)]);
  return JSON.stringify({ ...Object.fromEntries(fields), grid });
}

const orderFromLine = (line: string): OrderRow => orderRowSchema.parse(JSON.parse(line));

function digestOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
