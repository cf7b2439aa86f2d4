import { join, relative } from "node:path";
import type { Part } from "./plan-stack.ts";
import { SECRETS_FILE } from "./secrets.ts";
import type { StackSettings } from "./settings.ts";

type Summary = {
  readonly settings: StackSettings;
  readonly parts: readonly Part[];
  readonly edgeUrl: string;
  readonly folder: string;
  readonly watch: boolean;
  readonly tookMs: number;
};

/** The summary after a start: what runs where, what to open, and where the operator token is. */
export function whereToLook({ settings, parts, edgeUrl, folder, watch, tookMs }: Summary): string {
  const shown = shownFolder(folder);
  const token =
    settings.SLUICE_ADMIN_TOKEN === undefined
      ? `${join(shown, SECRETS_FILE)} (adminToken)`
      : "as given in SLUICE_ADMIN_TOKEN";
  const rows: readonly (readonly [string, string, string])[] = [
    ...parts.map((part) => [part.name, `127.0.0.1:${part.port}`, part.what] as const),
    ...ownServers(settings),
  ];
  const [nameWidth, addressWidth] = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const table = rows.map(
    ([name, address, what]) => `  ${name.padEnd(nameWidth ?? 0)}  ${address.padEnd(addressWidth ?? 0)}  ${what}`,
  );
  return [
    "",
    `Sluice is up after ${(tookMs / 1000).toFixed(1)} s. Open ${edgeUrl}/_sluice/health`,
    "",
    ...table,
    "",
    `  console         ${edgeUrl}/_sluice/console`,
    `  operator token  ${token}`,
    `  logs            ${join(shown, "logs")}`,
    "",
    watch
      ? "Saving a file under edge/, origin/ or shared/ reloads it. Ctrl-C stops everything."
      : "Ctrl-C stops everything.",
  ].join("\n");
}

/** Relative to the working directory when it is below it, else absolute. */
export function shownFolder(folder: string): string {
  const path = relative(process.cwd(), folder) || ".";
  return path.startsWith("..") ? folder : path;
}

function ownServers(settings: StackSettings): readonly (readonly [string, string, string])[] {
  const rows: [string, string, string][] = [];
  if (settings.REDIS_URL !== undefined) rows.push(["line-redis", hostOf(settings.REDIS_URL), "yours, by REDIS_URL"]);
  if (settings.UPSTASH_REDIS_REST_URL !== undefined)
    rows.push(["line store", hostOf(settings.UPSTASH_REDIS_REST_URL), "yours, by UPSTASH_REDIS_REST_URL"]);
  if (settings.VENUE_REDIS_URL !== undefined)
    rows.push(["venue-redis", hostOf(settings.VENUE_REDIS_URL), "yours, by VENUE_REDIS_URL"]);
  if (settings.DATABASE_URL === undefined) rows.push(["database", "in the origin", "PostgreSQL embedded (PGlite)"]);
  else rows.push(["database", hostOf(settings.DATABASE_URL), "yours, by DATABASE_URL"]);
  return rows;
}

/** Host and port only: the rest of such a URL holds its password. */
function hostOf(url: string): string {
  return new URL(url).host;
}
