import { z } from "zod";
import { defineScript, type ScriptRunner } from "../../shared/define-script.ts";
import { sessionKey } from "../queue/keys.ts";
import readMetadataSource from "./read-metadata.lua";

/** A script is given its keys by name, so there are names for so many. */
const SESSIONS_AT_ONCE = 100;
const KEY_NAMES = Array.from({ length: SESSIONS_AT_ONCE }, (_, index) => `session${index}`);

const readMetadataScript = defineScript({
  name: "read-metadata",
  source: readMetadataSource,
  keys: KEY_NAMES,
  args: {},
  reply: z.array(z.string()).length(SESSIONS_AT_ONCE),
});

type Metadata = Readonly<Record<string, unknown>> | null;

/** Adds to each session what its visitor's program said about itself: one call for a hundred of them. */
export async function withMetadata<Session extends { readonly sessionId: string }>(
  store: ScriptRunner,
  queueId: string,
  sessions: readonly Session[],
): Promise<readonly (Session & { readonly metadata: Metadata })[]> {
  const told: string[] = [];
  for (let start = 0; start < sessions.length; start += SESSIONS_AT_ONCE) {
    const ids = sessions.slice(start, start + SESSIONS_AT_ONCE).map(({ sessionId }) => sessionId);
    const keys = Object.fromEntries(KEY_NAMES.map((name, index) => [name, sessionKey(queueId, ids[index] ?? "-")]));
    told.push(...(await readMetadataScript.run(store, { keys, args: {} })).slice(0, ids.length));
  }
  return sessions.map((session, index) => ({ ...session, metadata: parse(told[index] ?? "") }));
}

const metadataSchema = z.record(z.string(), z.unknown());

/** Written by an edge, from a body that it had checked. */
function parse(text: string): Metadata {
  return text === "" ? null : metadataSchema.parse(JSON.parse(text));
}
