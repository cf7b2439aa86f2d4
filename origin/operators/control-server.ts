import { once } from "node:events";
import { chmod, rm } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";
import type { Logger } from "pino";
import { z } from "zod";
import { COMMAND_LINE } from "../admin/audit.ts";
import { doRecordCommand, type RecordCommand } from "../backup/record-commands.ts";
import type { Accounts } from "../identity/accounts.ts";
import type { User } from "../identity/user.ts";
import { type DepositByHand, depositSchema } from "../wallets/deposit-by-hand.ts";
import { newAccountSchema } from "./new-account.ts";

/**
 * What whoever sits at the machine may do to a running venue: make an admin, or an account with money for the demo. A socket in the data folder, which the folder's owner
 * alone can open, so that it needs no secret and no network reaches it. The embedded database belongs to this process, so that nobody
 * else could write the account there.
 */
export type ControlServer = { readonly stop: () => Promise<void> };

export const controlSocketIn = (folder: string) => join(folder, "origin.sock");

const BODY_BYTES_MAX = 4_096;
const OWNER_ONLY = 0o600;
/** The kernel's bound for the path of a socket, with its end. */
const SOCKET_PATH_BYTES_MAX = 107;

const controlAnswerSchema = z.union([
  z.object({ id: z.string(), username: z.string() }),
  z.object({ deposited: z.string() }),
  z.object({ said: z.string(), code: z.int() }),
  z.object({ refused: z.string() }),
]);

/** What is asked for, by path: each with a body of its own. */
export type ControlPath = "/admins" | "/users" | "/deposits" | `/${RecordCommand}`;

type ControlledRecord = Pick<Parameters<typeof doRecordCommand>[0], "database" | "redis" | "redisUrl" | "nowMs" | "audit">;

export type Controlled = {
  readonly accounts: Accounts;
  readonly deposit: DepositByHand;
  readonly record?: ControlledRecord;
};

export type ControlAnswer = z.output<typeof controlAnswerSchema>;
export const parseControlAnswer = (text: string): ControlAnswer => controlAnswerSchema.parse(JSON.parse(text));

export async function startControlServer(folder: string, controlled: Controlled, log: Logger): Promise<ControlServer> {
  const path = controlSocketIn(folder);
  if (Buffer.byteLength(path) > SOCKET_PATH_BYTES_MAX) {
    log.warn({ path }, "the data folder's path is too long for a socket: npm run sluice -- admin create works while the venue is stopped");
    return { stop: async () => {} };
  }
  const server = createServer((request, response) => {
    answer(request, controlled).then(
      (content) => response.end(JSON.stringify(content)),
      (error: unknown) => {
        log.error({ err: error }, "the control socket failed");
        response.writeHead(500).end(JSON.stringify({ refused: "the venue could not do it; its log says why" }));
      },
    );
  });
  // Left behind by a process that was killed.
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

async function answer(request: IncomingMessage, { accounts, deposit, record }: Controlled): Promise<ControlAnswer> {
  let text = "";
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > BODY_BYTES_MAX) return { refused: "that is too long" };
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
    case "/audit":
    case "/backup":
    case "/restore": {
      if (record === undefined) return { refused: "this venue does not know how" };
      const { folder, isSinceLast } = z.object({ folder: z.string(), isSinceLast: z.boolean().default(false) }).parse(body);
      const name = request.url.slice(1) as RecordCommand;
      const target = folder === "" ? undefined : folder;
      const { text: said, code } = await doRecordCommand({ ...record, name, target, isSinceLast, isRunning: true });
      return { said, code };
    }
    default:
      return { refused: "this venue does not know how" };
  }
}

async function createAccount(accounts: Accounts, body: unknown, role: User["role"]): Promise<ControlAnswer> {
  const account = newAccountSchema.safeParse(body);
  if (!account.success) return { refused: faultsOf(account.error) };
  const created = await accounts.createBy(COMMAND_LINE, { ...account.data, role });
  return created.ok ? { id: created.value.id, username: created.value.username } : { refused: "the name or the address is taken" };
}

const faultsOf = ({ issues }: z.ZodError) => issues.map((issue) => `${issue.path.join(".")} ${issue.message}`).join("; ");
