import { mkdir } from "node:fs/promises";
import { PGlite } from "@electric-sql/pglite";
import postgres from "postgres";

/** The permanent record: PostgreSQL embedded in this process by default, any server by `DATABASE_URL`. */
export type Database = {
  /** Throws when the database does not answer. */
  readonly ping: () => Promise<void>;
  readonly close: () => Promise<void>;
};

type DatabaseOptions = {
  readonly url: string | undefined;
  /** Where the embedded database lives when there is no URL. */
  readonly folder: string;
};

const CONNECTIONS_MAX = 4;
const CONNECT_TIMEOUT_SECONDS = 5;
const CLOSE_TIMEOUT_SECONDS = 2;

export function openDatabase({ url, folder }: DatabaseOptions): Promise<Database> {
  return url === undefined ? openEmbedded(folder) : openServer(url);
}

async function openEmbedded(folder: string): Promise<Database> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const pglite = await PGlite.create(folder);
  const ping = async () => void (await pglite.query("SELECT 1"));
  return { ping, close: () => pglite.close() };
}

async function openServer(url: string): Promise<Database> {
  const sql = postgres(url, { max: CONNECTIONS_MAX, connect_timeout: CONNECT_TIMEOUT_SECONDS, onnotice: () => {} });
  const ping = async () => void (await sql`SELECT 1`);
  try {
    await ping();
  } catch (error) {
    await sql.end({ timeout: 0 });
    throw error;
  }
  return { ping, close: () => sql.end({ timeout: CLOSE_TIMEOUT_SECONDS }) };
}
