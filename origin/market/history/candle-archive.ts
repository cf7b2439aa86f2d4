import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { assert } from "../../../shared/assert.ts";
import { DAY_MS } from "../candles/frames.ts";
import type { CandleRow } from "../read/candle-rows.ts";

/** Storage for old data: a folder or an S3-compatible store. */
export type ObjectStore = {
  readonly put: (path: string, content: Buffer) => Promise<void>;
  /** Throws if the object is missing. */
  readonly get: (path: string) => Promise<Buffer>;
};

/** A day of minutes of one pair as gzipped lines of JSON: the bucket, and the bar as in Redis. */
export type CandleArchive = {
  readonly write: (pair: string, day: number, rows: readonly CandleRow[]) => Promise<ArchivedDay>;
  readonly read: (file: { readonly path: string; readonly sha256: string }) => Promise<readonly CandleRow[]>;
};

export type ArchivedDay = { readonly path: string; readonly sha256: string };

const compress = promisify(gzip);
const decompress = promisify(gunzip);

export function candleArchive(store: ObjectStore): CandleArchive {
  return {
    async write(pair, day, rows) {
      const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
      const path = `candles/${pair}/${date.slice(0, 4)}/${date}.jsonl.gz`;
      const content = await compress(
        rows.map(({ openTime, text }) => `${JSON.stringify([openTime, text])}\n`).join(""),
      );
      await store.put(path, content);
      return { path, sha256: digestOf(content) };
    },
    async read({ path, sha256 }) {
      const content = await store.get(path);
      assert(digestOf(content) === sha256, `${path} in the archive does not match its checksum`);
      const lines = (await decompress(content))
        .toString("utf8")
        .split("\n")
        .filter((line) => line !== "");
      return lines.map((line) => {
        const [openTime, text] = JSON.parse(line) as [number, string];
        return { openTime, text };
      });
    },
  };
}

function digestOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
