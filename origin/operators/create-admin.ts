import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type FillRandom, newSecret } from "../../shared/ids.ts";
import { fail, ok } from "../../shared/result.ts";
import { readArgs } from "../../stack/program/command-line.ts";
import { COMMAND_LINE, writeAudit } from "../accounts/admin/audit.ts";
import { createPasswords } from "../accounts/identity/passwords.ts";
import { insertUser } from "../accounts/identity/user-queries.ts";
import { newUuid } from "../accounts/identity/uuid.ts";
import { UniqueViolation } from "../db/database.ts";
import { openDatabase } from "../db/open-database.ts";
import { askControl } from "./ask-control.ts";
import { type ControlAnswer, newAccountSchema } from "./control-server.ts";

export const ADMIN_USAGE = `npm run sluice -- admin create --username NAME --email ADDRESS [--password-stdin]
  Creates an account with the role admin, in a running or stopped venue. Without --password-stdin a password is generated and shown once.
  SLUICE_DATA_DIR and DATABASE_URL name the venue, as for npm start.`;

type Surroundings = {
  readonly environment: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadableStream;
  readonly say: (line: string) => void;
  /** Prints an error and returns the exit code. */
  readonly complain: (sentence: string, exitCode?: number) => number;
  readonly random: FillRandom;
  readonly nowMs: number;
};

/** Returns the exit code: 0 done, 1 refused, 2 invalid arguments. */
export async function createAdmin(
  args: readonly string[],
  { environment, stdin, say, complain, random, nowMs }: Surroundings,
): Promise<number> {
  const read = readOptions(args);
  if (!read.ok) return complain(read.reason);
  const options = read.value;
  const isGiven = options["password-stdin"] === true;
  const password = isGiven ? (await text(stdin)).replace(/\r?\n$/, "") : newSecret(random);
  const account = { username: options.username, email: options.email, password };
  const folder = environment["SLUICE_DATA_DIR"] ?? ".sluice";
  const answer =
    (await askControl(folder, "/admins", account)) ??
    (await createStopped(account, { folder, url: environment["DATABASE_URL"], id: newUuid(random, nowMs) }));
  if ("refused" in answer) {
    return complain(`Not created: ${answer.refused}.`, 1);
  }
  if ("id" in answer) say(`Created the admin ${answer.username} (${answer.id}).`);
  if (!isGiven) say(`Password, shown only once: ${password}`);
  return 0;
}

function readOptions(args: readonly string[]) {
  const read = readArgs({
    args: [...args],
    allowPositionals: true,
    options: { username: { type: "string" }, email: { type: "string" }, "password-stdin": { type: "boolean" } },
  });
  if (!read.ok) return read;
  const { values, positionals } = read.value;
  const { username, email } = values;
  if (positionals.join(" ") !== "create") return fail("The only command is admin create; see admin --help.");
  if (username === undefined || email === undefined)
    return fail("admin create needs --username NAME and --email ADDRESS.");
  return ok({ ...values, username, email });
}

type Place = { readonly folder: string; readonly url: string | undefined; readonly id: string };

/** The venue makes the copy in Redis when it starts, or within two seconds if it is running on the same server. */
async function createStopped(account: object, { folder, url, id }: Place): Promise<ControlAnswer> {
  const parsed = newAccountSchema.safeParse(account);
  if (!parsed.success)
    return { refused: parsed.error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`).join("; ") };
  const { username, email, password } = parsed.data;
  const passwordHash = await (await createPasswords()).hash(password);
  const database = await openDatabase({ url, folder: join(folder, "postgres") });
  try {
    await database.transaction(async (tx) => {
      await insertUser.first(tx, { id, username, email, passwordHash, role: "admin" });
      const after = { username, role: "admin" };
      await writeAudit(tx, { actor: COMMAND_LINE, action: "user.created", target: id, before: null, after });
    });
    return { id, username };
  } catch (error) {
    if (error instanceof UniqueViolation) return { refused: "the username or the e-mail address is already in use" };
    throw error;
  } finally {
    await database.close();
  }
}
