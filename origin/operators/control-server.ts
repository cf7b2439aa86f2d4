import { once } from "node:events";
import { chmod, rm } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";
import type { Logger } from "pino";
import { z } from "zod";
import { COMMAND_LINE } from "../accounts/admin/audit.ts";
import type { Accounts } from "../accounts/identity/accounts.ts";
import { newPasswordField } from "../accounts/identity/passwords.ts";
import type { User } from "../accounts/identity/user.ts";
import { emailField, usernameField } from "../accounts/identity/user.ts";
import type { Repaired, RepairRange } from "../market/history/repair-candles.ts";
import { repairedText, repairRangeSchema } from "./candles-command.ts";
import { type DepositByHand, depositSchema } from "./deposit-by-hand.ts";
import { doRecordCommand, type RecordCommand } from "./record-commands.ts";

/**
 * Commands to a running venue from its own machine: create an admin, or a demo account with a balance. It is a socket
 * in the data folder that only the folder's owner can open, so that it needs no secret and is not reachable over a
 * network. The embedded database belongs to this process, so no other process could write the account.
 */
export type ControlServer = { readonly stop: () => Promise<void> };

export const controlSocketIn = (folder: string) => join(folder, "origin.sock");

const BODY_BYTES_MAX = 4_096;
const OWNER_ONLY = 0o600;
/** The kernel's limit for the path of a socket, including the terminating zero. */
const SOCKET_PATH_BYTES_MAX = 107;

const controlAnswerSchema = z.union([
  z.object({ id: z.string(), username: z.string() }),
  z.object({ deposited: z.string() }),
  z.object({ said: z.string(), code: z.int() }),
  z.object({ refused: z.string() }),
]);

/** The body of each command, by path. */
export type ControlPath = "/admins" | "/users" | "/deposits" | "/candles" | "/demo-history" | `/${RecordCommand}`;

type ControlledRecord = Pick<
  Parameters<typeof doRecordCommand>[0],
  "database" | "redis" | "redisUrl" | "nowMs" | "audit"
>;

const demoHistorySchema = z.object({ seed: z.int(), prices: z.record(z.string(), z.string()) });
export type DemoHistory = z.output<typeof demoHistorySchema>;

export type Controlled = {
  readonly accounts: Accounts;
  readonly deposit: DepositByHand;
  readonly record?: ControlledRecord;
  readonly market?: {
    readonly repair: (range: RepairRange) => Promise<Repaired>;
    /** Candles of a demo, from the pairs' prices; returns how many. */
    readonly makeDemo: (demo: DemoHistory) => Promise<number>;
  };
};

export type ControlAnswer = z.output<typeof controlAnswerSchema>;
export const parseControlAnswer = (text: string): ControlAnswer => controlAnswerSchema.parse(JSON.parse(text));

export async function startControlServer(folder: string, controlled: Controlled, log: Logger): Promise<ControlServer> {
  const path = controlSocketIn(folder);
  if (Buffer.byteLength(path) > SOCKET_PATH_BYTES_MAX) {
    log.warn(
      { path },
      "the path of the data folder is too long for the control socket; stop the venue to run npm run sluice -- admin create",
    );
    return { stop: async () => {} };
  }
  const server = createServer((request, response) => {
    answer(request, controlled).then(
      (content) => response.end(JSON.stringify(content)),
      (error: unknown) => {
        log.error({ err: error }, "the control socket failed");
        response.writeHead(500).end(JSON.stringify({ refused: "the command failed; the venue's log shows why" }));
      },
    );
  });
  // Left by a process that was killed.
  await rm(path, { force: true });
  server.listen(path);
  await once(server, "listening");
  await chmod(path, OWNER_ONLY);
  return {
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await rm(path, { force: true });
    },
  };
}

async function answer(
  request: IncomingMessage,
  { accounts, deposit, record, market }: Controlled,
): Promise<ControlAnswer> {
  let text = "";
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > BODY_BYTES_MAX) return { refused: "the command is too long" };
  }
  const body: unknown = JSON.parse(text);
  switch (request.url) {
    case "/admins":
      return createAccount(accounts, body, "admin");
    case "/users":
      return createAccount(accounts, body, "user");
    case "/deposits": {
      const wanted = depositSchema.safeParse(body);
      if (!wanted.success) return { refused: faultsOf(wanted.error) };
      const done = await deposit(COMMAND_LINE, wanted.data);
      return done.ok ? { deposited: wanted.data.reference } : { refused: done.reason };
    }
    case "/demo-history": {
      const demo = demoHistorySchema.parse(body);
      return market === undefined ? UNSUPPORTED : { said: `${await market.makeDemo(demo)} candles`, code: 0 };
    }
    case "/candles":
      return repairCandles(market, body);
    case "/audit":
    case "/backup":
    case "/restore": {
      if (record === undefined) return UNSUPPORTED;
      const { folder, isSinceLast } = z
        .object({ folder: z.string(), isSinceLast: z.boolean().default(false) })
        .parse(body);
      const name = request.url.slice(1) as RecordCommand;
      const target = folder === "" ? undefined : folder;
      const { text: said, code } = await doRecordCommand({ ...record, name, target, isSinceLast, isRunning: true });
      return { said, code };
    }
    default:
      return UNSUPPORTED;
  }
}

async function repairCandles(market: Controlled["market"], body: unknown): Promise<ControlAnswer> {
  const range = repairRangeSchema.safeParse(body);
  if (!range.success) return { refused: faultsOf(range.error) };
  return market === undefined ? UNSUPPORTED : { said: repairedText(await market.repair(range.data)), code: 0 };
}

const UNSUPPORTED = { refused: "the venue does not support this command" };

async function createAccount(accounts: Accounts, body: unknown, role: User["role"]): Promise<ControlAnswer> {
  const account = newAccountSchema.safeParse(body);
  if (!account.success) return { refused: faultsOf(account.error) };
  const created = await accounts.createBy(COMMAND_LINE, { ...account.data, role });
  return created.ok
    ? { id: created.value.id, username: created.value.username }
    : { refused: "the username or the e-mail address is already in use" };
}

const faultsOf = ({ issues }: z.ZodError) =>
  issues.map((issue) => `${issue.path.join(".")} ${issue.message}`).join("; ");

export const newAccountSchema = z.strictObject({
  username: usernameField,
  email: emailField,
  password: newPasswordField,
});
