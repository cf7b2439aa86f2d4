import { readFile } from "node:fs/promises";
import { newSecret, systemRandom } from "../shared/ids.ts";
import { newSecrets } from "../stack/secrets.ts";

/** Prints `example.env` with fresh secrets in it: `node deploy/make-env.ts > deploy/.env`. */
const secrets = await newSecrets(systemRandom);
const values: Readonly<Record<string, string>> = {
  LINE_REDIS_PASSWORD: secrets.lineRedisPassword,
  VENUE_REDIS_PASSWORD: secrets.venueRedisPassword,
  POSTGRES_PASSWORD: newSecret(systemRandom),
  SLUICE_BRIDGE_TOKEN: secrets.bridgeToken,
  SLUICE_ADMIN_TOKEN: secrets.adminToken,
  SLUICE_SIGNING_KEYS: JSON.stringify(secrets.signingKeys),
  SLUICE_IDENTITY_KEYS: JSON.stringify(secrets.identityKeys),
  SLUICE_VENUE_SECRET: secrets.venueSecret,
  SLUICE_SEAL_KEYS: JSON.stringify(secrets.sealKeys),
};

const example = await readFile(new URL("example.env", import.meta.url), "utf8");
const lines = example.split("\n").filter((line) => !line.startsWith("#") || !line.includes("make-env.ts"));
// Values in single quotes are not expanded, and no secret contains a quote.
process.stdout.write(
  lines.map((line) => line.replace(/^([A-Z_]+)=$/, (_, name: string) => `${name}='${values[name]}'`)).join("\n"),
);
