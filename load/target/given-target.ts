import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { SECRETS_FILE } from "../../origin/stack/secrets.ts";
import { createOperator } from "./operator.ts";
import { createOperatorLineWatch } from "./operator-line-watch.ts";
import { queueOfPage } from "./queue-of-page.ts";
import type { Target } from "./target.ts";

type GivenTarget = {
  readonly url: string;
  readonly queueId: string;
  readonly path: string;
  /** With it the line is watched as its operator would; without, only what visitors see is known. */
  readonly adminToken: string | undefined;
  /** Of a stack on this machine: the token is there too. */
  readonly dataFolder: string;
  readonly say: (line: string) => void;
};

const queueSchema = z.object({
  sessionTtlSeconds: z.number(),
  maxActive: z.number(),
  admissionRate: z.number(),
  admissionBurst: z.number(),
});

/** A gate that runs already. Nothing is changed on it. Throws a sentence if the load would miss it. */
export async function givenTarget({ url, queueId, path, adminToken, dataFolder, say }: GivenTarget): Promise<Target> {
  const site = new URL(url).origin;
  const found = await queueOfPage(site, path);
  if (found !== queueId) {
    const where = found === undefined ? "no queue" : `the queue ${found}, not ${queueId}`;
    throw new Error(`${site}${path} is behind ${where}: --queue and --path must name a queue and a page behind it`);
  }
  const token = adminToken ?? (await tokenIn(dataFolder));
  const access = token === undefined ? undefined : { url: site, adminToken: token };
  if (access === undefined)
    say(`Without an operator token the line is not watched: SLUICE_ADMIN_TOKEN, or --data-dir with ${SECRETS_FILE}`);
  const queue = access && queueSchema.parse(await createOperator(access).ask("GET", `/queues/${queueId}`));
  const watch = access && createOperatorLineWatch({ ...access, queueId });
  return {
    what: site,
    urls: [site],
    queueId,
    path,
    sessionTtlSeconds: queue?.sessionTtlSeconds,
    limits: queue && { cap: queue.maxActive, rate: queue.admissionRate, burst: queue.admissionBurst },
    watch,
    own: undefined,
    stop: async () => watch?.stop(),
  };
}

const secretsSchema = z.object({ adminToken: z.string() });

async function tokenIn(folder: string): Promise<string | undefined> {
  try {
    return secretsSchema.parse(JSON.parse(await readFile(join(folder, SECRETS_FILE), "utf8"))).adminToken;
  } catch {
    return undefined;
  }
}
