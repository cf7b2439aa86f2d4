import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { assert } from "../../../shared/assert.ts";
import type { ListRow, OrderRow } from "../../engine/changes.ts";
import { listRowSchema, orderRowSchema, recordedConditions } from "../sync/recorded-rows.ts";

/** Storage for old data: a folder or an S3-compatible store. An object is complete or missing, never partial. */
export type Archive = {
  readonly put: (path: string, content: Buffer) => Promise<void>;
  /** Throws if the object is missing. */
  readonly get: (path: string) => Promise<Buffer>;
};

/** Orders and order lists as gzipped lines of JSON, so that any tool can read them in fifty years. */
export type OrderArchive = RowArchive<OrderRow> & { readonly lists: RowArchive<ListRow> };

export type RowArchive<Row> = {
  readonly write: (path: string, rows: readonly Row[]) => Promise<{ readonly sha256: string }>;
  readonly read: (file: ArchiveFile) => Promise<readonly Row[]>;
  /** Undefined if the file does not hold the row of this id. Only that line is parsed. */
  readonly find: (file: ArchiveFile, id: number) => Promise<Row | undefined>;
};

type ArchiveFile = { readonly path: string; readonly sha256: string };

/** Yields to trading while it writes. */
const LINES_PER_TURN = 500;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

export function orderArchive(archive: Archive): OrderArchive {
  return {
    ...rowArchive(archive, { lineOf: orderLine, rowFrom: (line) => orderRowSchema.parse(JSON.parse(line)) }),
    lists: rowArchive(archive, { lineOf: listLine, rowFrom: (line) => listRowSchema.parse(JSON.parse(line)) }),
  };
}

type Form<Row> = { readonly lineOf: (row: Row) => string; readonly rowFrom: (line: string) => Row };

function rowArchive<Row extends { readonly id: number }>(
  archive: Archive,
  { lineOf, rowFrom }: Form<Row>,
): RowArchive<Row> {
  async function linesOf({ path, sha256 }: ArchiveFile): Promise<readonly string[]> {
    const content = await archive.get(path);
    assert(digestOf(content) === sha256, `${path} in the archive does not match its checksum`);
    const lines = (await decompress(content)).toString("utf8").split("\n");
    return lines.filter((line) => line !== "");
  }

  return {
    async write(path, rows) {
      let text = "";
      for (const [index, row] of rows.entries()) {
        text += `${lineOf(row)}\n`;
        if (index % LINES_PER_TURN === LINES_PER_TURN - 1) await nextTurn();
      }
      const content = await compress(text);
      await archive.put(path, content);
      return { sha256: digestOf(content) };
    },
    read: async (file) => (await linesOf(file)).map(rowFrom),
    async find(file, wanted) {
      // A client's own text may contain the same characters, so the parsed id decides.
      const lines = (await linesOf(file)).filter((line) => line.includes(`"id":"${wanted}"`));
      return lines.map(rowFrom).find(({ id }) => id === wanted);
    },
  };
}

/** Numbers as text, as in the table: other JSON readers may round them. */
function orderLine({ grid, conditions, ...order }: OrderRow): string {
  return JSON.stringify({
    ...textsOf(order),
    grid,
    ...(conditions !== undefined && { conditions: recordedConditions(conditions) }),
  });
}

function listLine({ targetProfitPpm, stopLossPpm, ...list }: ListRow): string {
  return JSON.stringify({ ...textsOf(list), targetProfitPpm, stopLossPpm });
}

function textsOf(row: object): Readonly<Record<string, unknown>> {
  const fields = Object.entries(row).map(([name, value]) => [name, typeof value === "boolean" ? value : String(value)]);
  return Object.fromEntries(fields);
}

function digestOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
