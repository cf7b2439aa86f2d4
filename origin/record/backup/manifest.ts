import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { fail, ok, type Result } from "../../../shared/result.ts";

/** The contents of a backup. It is written last: a folder without a manifest is not a backup. */
export const MANIFEST_FILE = "manifest.json";

const fileSchema = z.object({ name: z.string().regex(/^[a-z_.-]+$/), bytes: z.int(), sha256: z.string() });

/** Format 1 had no `layout`. */
export const MANIFEST_FORMAT = 2;

const manifestSchema = z.object({
  format: z.int().min(1).max(MANIFEST_FORMAT),
  madeAt: z.string(),
  /** The journal entry that PostgreSQL stood at; Redis holds it and all later entries. */
  sequence: z.int(),
  schema: z.array(z.object({ version: z.int(), sha256: z.string() })),
  tables: z.array(fileSchema.extend({ table: z.string().regex(/^[a-z_]+$/), rows: z.int() })),
  /** Layout of the venue's Redis (`origin/state/layout.ts`). */
  layout: z.int().default(1),
  /** Absent if the server refuses its snapshot: PostgreSQL is sufficient for a restore. */
  redis: fileSchema.optional(),
});

export type Manifest = z.output<typeof manifestSchema>;
export type BackupFile = z.output<typeof fileSchema>;

/** A sentence when there is none, or one that a later program has made. */
export async function readManifest(folder: string): Promise<Result<Manifest, string>> {
  const unreadable = fail(`${folder} holds no complete backup: ${MANIFEST_FILE} is missing or unreadable.`);
  try {
    const json: unknown = JSON.parse(await readFile(join(folder, MANIFEST_FILE), "utf8"));
    const later = z.object({ format: z.int().gt(MANIFEST_FORMAT) }).safeParse(json);
    if (later.success)
      return fail(
        `The backup has format ${later.data.format}, this program knows ${MANIFEST_FORMAT}: use the newer program.`,
      );
    const manifest = manifestSchema.safeParse(json);
    return manifest.success ? ok(manifest.data) : unreadable;
  } catch {
    return unreadable;
  }
}

/** Reads the manifest and verifies every file; fails with the first fault. */
export async function checkedManifest(folder: string): Promise<Result<Manifest, string>> {
  const read = await readManifest(folder);
  if (!read.ok) return read;
  const manifest = read.value;
  for (const { name, sha256 } of [...manifest.tables, ...(manifest.redis === undefined ? [] : [manifest.redis])]) {
    const digest = await digestOfFile(join(folder, name)).catch(() => undefined);
    if (digest === undefined) return fail(`${name} is missing from the backup.`);
    if (digest !== sha256) return fail(`${name} was changed after the backup: its checksum does not match.`);
  }
  return ok(manifest);
}

export async function digestOfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
