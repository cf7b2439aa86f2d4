import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { SECRETS_FILE } from "../../stack/secrets.ts";
import { createOperator, type OperatorAccess, OperatorRefusal } from "./operator.ts";
import { createOperatorLineWatch } from "./operator-line-watch.ts";
import { queueOfPage } from "./queue-of-page.ts";
import type { Target } from "./target.ts";

type GivenTarget = {
  readonly url: string;
  readonly queueId: string;
  readonly path: string;
  /** Lets the run watch the line; without it only the visitors' view is recorded. */
  readonly adminToken: string | undefined;
  /**
   * The data folder of a stack on this machine, which holds the token. Undefined for a remote gate, which must not
   * receive it.
   */
  readonly dataFolder: string | undefined;
  readonly say: (line: string) => void;
};

const queueSchema = z.object({
  maxActive: z.number(),
  admissionRate: z.number(),
  admissionBurst: z.number(),
});

/** A running gate, which is not changed. Throws if the page is not behind the queue. */
export async function givenTarget({ url, queueId, path, adminToken, dataFolder, say }: GivenTarget): Promise<Target> {
  const site = new URL(url).origin;
  const found = await queueOfPage(site, path);
  if (found !== queueId) {
    const where = found === undefined ? "no queue" : `the queue ${found}, not ${queueId}`;
    throw new Error(`${site}${path} is behind ${where}: --queue and --path must name a queue and a page behind it`);
  }
  const token = adminToken ?? (dataFolder === undefined ? undefined : await tokenIn(dataFolder));
  const access = token === undefined ? undefined : { url: site, adminToken: token };
  const queue = access && (await readQueue(access, queueId));
  if (queue === undefined && adminToken !== undefined)
    throw new Error("SLUICE_ADMIN_TOKEN is not a token of this gate");
  if (queue === undefined)
    say(
      `The line is not watched without an operator token of this gate: SLUICE_ADMIN_TOKEN, or --data-dir with its ${SECRETS_FILE}`,
    );
  const watch = queue && access && createOperatorLineWatch({ ...access, queueId });
  return {
    what: site,
    urls: [site],
    queueId,
    path,
    limits: queue && { cap: queue.maxActive, rate: queue.admissionRate, burst: queue.admissionBurst },
    watch,
    own: undefined,
    stop: async () => watch?.stop(),
  };
}

/** Undefined if the token belongs to another gate. */
async function readQueue(access: OperatorAccess, queueId: string): Promise<z.output<typeof queueSchema> | undefined> {
  try {
    return queueSchema.parse(await createOperator(access).ask("GET", `/queues/${queueId}`));
  } catch (error) {
    if (error instanceof OperatorRefusal && [401, 403].includes(error.status)) return undefined;
    throw error;
  }
}

const secretsSchema = z.object({ adminToken: z.string() });

async function tokenIn(folder: string): Promise<string | undefined> {
  try {
    return secretsSchema.parse(JSON.parse(await readFile(join(folder, SECRETS_FILE), "utf8"))).adminToken;
  } catch {
    return undefined;
  }
}
