import { chmod, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type FillRandom, newId, newSecret } from "../shared/ids.ts";
import { newTokenKey } from "../shared/tokens/new-token-key.ts";
import { privateTokenKeySchema } from "../shared/tokens/token-keys.ts";

const signingKeysSchema = z.object({ active: z.string(), keys: z.array(privateTokenKeySchema).min(1) });

/** The secrets of a development machine: created once, kept in the data folder, readable only by its owner. */
const secretsSchema = z.object({
  adminToken: z.string().min(32),
  bridgeToken: z.string().min(32),
  lineRedisPassword: z.string().min(32),
  venueRedisPassword: z.string().min(32),
  /** Signs tickets and passes of the gate; the shape of SLUICE_SIGNING_KEYS. */
  signingKeys: signingKeysSchema,
  /** Signs access tokens of the venue; the shape of SLUICE_IDENTITY_KEYS. */
  identityKeys: signingKeysSchema,
  venueSecret: z.string().min(32),
  /** Encrypts API secrets of the venue; the shape of SLUICE_SEAL_KEYS. */
  sealKeys: z.object({ active: z.string(), keys: z.record(z.string(), z.string().min(43)) }),
});

export type StackSecrets = z.infer<typeof secretsSchema>;

export const SECRETS_FILE = "secrets.json";

export async function loadOrCreateSecrets(folder: string, fillRandom: FillRandom): Promise<StackSecrets> {
  const file = join(folder, SECRETS_FILE);
  const text = await readIfThere(file);
  const known = text === undefined ? {} : parseJson(file, text);
  // A secret added by a newer version is filled in; those already in use stay.
  const secrets = secretsSchema.safeParse({ ...(await newSecrets(fillRandom)), ...known });
  if (!secrets.success)
    throw new Error(
      `${file} is damaged: ${secrets.error.issues.map((issue) => issue.path.join(".")).join(", ")}. Fix or remove it.`,
    );
  await writeWhole(file, `${JSON.stringify(secrets.data, null, 2)}\n`);
  return secrets.data;
}

export async function newSecrets(fillRandom: FillRandom): Promise<StackSecrets> {
  const newKeys = async () => {
    const key = await newTokenKey(newId(fillRandom));
    return { active: key.kid, keys: [key] };
  };
  return {
    adminToken: newSecret(fillRandom),
    bridgeToken: newSecret(fillRandom),
    lineRedisPassword: newSecret(fillRandom),
    venueRedisPassword: newSecret(fillRandom),
    signingKeys: await newKeys(),
    identityKeys: await newKeys(),
    venueSecret: newSecret(fillRandom),
    sealKeys: { active: "1", keys: { "1": newSecret(fillRandom) } },
  };
}

/** Written to a draft and renamed, so that a crash leaves the old file or the new one, never half of one. */
async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, text, { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, file);
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function parseJson(file: string, text: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  } catch {
    throw new Error(`${file} is damaged: it is not a JSON object. Fix or remove it.`);
  }
}
