import type { ChainableCommander } from "ioredis";
import { assert } from "../../shared/assert.ts";

/** Several commands in one round trip; the first failure fails the call. */
export async function replies(pipeline: ChainableCommander): Promise<readonly unknown[]> {
  const results = await pipeline.exec();
  assert(results !== null, "a pipeline is not a transaction that can be refused");
  return results.map(([error, reply]) => {
    if (error !== null) throw error;
    return reply;
  });
}
