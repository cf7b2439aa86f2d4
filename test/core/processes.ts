import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach } from "vitest";
import type { Submitted } from "../../origin/commit/submit/commands.ts";
import { type Child, startChild } from "../../stack/servers/child.ts";
import type { Acknowledged } from "./audit-core.ts";

const LOADER = new URL("../../stack/program/lua-loader.ts", import.meta.url).href;
const ENTRY = fileURLToPath(new URL("./engine-process.ts", import.meta.url));

/** An origin process of its own, with its reports on its own orders. */
export type OriginProcess = {
  readonly child: Child;
  readonly told: readonly Acknowledged[];
  readonly signal: (name: NodeJS.Signals) => void;
};

type ProcessOptions = {
  readonly url: string;
  readonly roles?: string;
  readonly failAt?: string;
  readonly failAfter?: number;
  readonly loadSeed?: number;
};

const running: Child[] = [];
afterEach(async () => {
  for (const child of running.splice(0)) {
    if (!child.hasExited()) process.kill(child.pid, "SIGKILL");
    await child.exited;
  }
});

export function startOrigin({
  url,
  roles = "engine,worker",
  failAt = "",
  failAfter = 1,
  loadSeed,
}: ProcessOptions): OriginProcess {
  const environment = {
    ...process.env,
    ...{ VENUE_REDIS_URL: url, SLUICE_ROLES: roles, FAIL_AT: failAt, FAIL_AFTER: String(failAfter) },
    ...(loadSeed === undefined ? {} : { LOAD_SEED: String(loadSeed) }),
  };
  const child = startChild({
    name: "origin",
    command: process.execPath,
    args: ["--import", LOADER, ENTRY],
    environment,
  });
  running.push(child);
  const told: Acknowledged[] = [];
  createInterface({ input: child.reports }).on("line", (line) => {
    const answer = JSON.parse(line, textAsBigint) as Submitted;
    if (answer.kind === "committed") told.push(answer);
  });
  return { child, told, signal: (name) => process.kill(child.pid, name) };
}

const textAsBigint = (_: string, value: unknown) =>
  typeof value === "string" && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value;
