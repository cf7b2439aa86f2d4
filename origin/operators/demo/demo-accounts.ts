import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type FillRandom, newSecret } from "../../../shared/ids.ts";

/** Two accounts to trade with, and the market maker's. */
export const DEMO_NAMES = ["demo_anna", "demo_ben", "demo_maker"] as const;

export type DemoAccount = { readonly username: (typeof DEMO_NAMES)[number]; readonly password: string };

/** Enough to trade for a while; the market maker has more. */
export const DEMO_DEPOSITS: Readonly<Record<DemoAccount["username"], Readonly<Record<string, string>>>> = {
  demo_anna: { idr: "1000000000", usdt: "50000", btc: "1", eth: "10" },
  demo_ben: { idr: "1000000000", usdt: "50000", btc: "1", eth: "10" },
  demo_maker: { idr: "100000000000", usdt: "5000000", btc: "100", eth: "1000" },
};

const FILE = "demo.json";
const OWNER_ONLY = 0o600;

const fileSchema = z.record(z.enum(DEMO_NAMES), z.string());

/** Passwords are generated once for each data folder and stored beside its other secrets. */
export async function readDemoAccounts(folder: string, random: FillRandom): Promise<readonly DemoAccount[]> {
  const path = join(folder, FILE);
  const text = await readFile(path, "utf8").catch(() => undefined);
  const passwords = text === undefined ? undefined : fileSchema.parse(JSON.parse(text));
  const made = passwords ?? Object.fromEntries(DEMO_NAMES.map((name) => [name, newSecret(random)]));
  if (passwords === undefined) await writeFile(path, `${JSON.stringify(made, undefined, 2)}\n`, { mode: OWNER_ONLY });
  return DEMO_NAMES.map((username) => ({ username, password: made[username] ?? "" }));
}
