import { z } from "zod";
import { fail, ok, type Result } from "./result.ts";

/**
 * Lower-case letters, digits and inner hyphens, 64 at most: safe as it is in Redis keys and hash tags, URLs, cookie
 * names, headers and token audiences, so that no place that builds one of these has to escape anything.
 */
export type QueueId = string & { readonly __brand: "QueueId" };

const QUEUE_ID = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

export function parseQueueId(text: string): Result<QueueId, "queue_id_malformed"> {
  return isQueueId(text) ? ok(text) : fail("queue_id_malformed");
}

/** For bodies, paths and settings; the message names the rule, never the value. */
export const queueIdSchema = z
  .string()
  .refine(isQueueId, "must be 1 to 64 lower-case letters, digits or hyphens, with no hyphen at either end")
  .transform((text) => text as QueueId);

function isQueueId(text: string): text is QueueId {
  return QUEUE_ID.test(text);
}
