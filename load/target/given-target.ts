import { z } from "zod";
import { createOperator } from "./operator.ts";
import { createOperatorLineWatch } from "./operator-line-watch.ts";
import type { Target } from "./target.ts";

type GivenTarget = {
  readonly url: string;
  readonly queueId: string;
  readonly path: string;
  /** With it the line is watched as its operator would; without, only what visitors see is known. */
  readonly adminToken: string | undefined;
};

const queueSchema = z.object({ sessionTtlSeconds: z.number() });

/** A gate that runs already. Nothing is changed on it. */
export async function givenTarget({ url, queueId, path, adminToken }: GivenTarget): Promise<Target> {
  const site = new URL(url).origin;
  const access = adminToken === undefined ? undefined : { url: site, adminToken };
  const queue = access && queueSchema.parse(await createOperator(access).ask("GET", `/queues/${queueId}`));
  const watch = access && createOperatorLineWatch({ ...access, queueId });
  return {
    what: site,
    urls: [site],
    queueId,
    path,
    sessionTtlSeconds: queue?.sessionTtlSeconds,
    watch,
    own: undefined,
    stop: async () => watch?.stop(),
  };
}
