import { z } from "zod";
import { defineScript, type ScriptRunner } from "../../../../shared/store/define-script.ts";
import { sessionKey } from "../../../line/keys.ts";
import readMetadataSource from "./read-metadata.lua";

/** A longer call would keep the store from its visitors. */
const SESSIONS_AT_ONCE = 100;

const readMetadataScript = defineScript({
  name: "read-metadata",
  source: readMetadataSource,
  keys: ["...sessions"],
  args: {},
  reply: z.array(z.string()).max(SESSIONS_AT_ONCE),
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
    const keys = sessions.slice(start, start + SESSIONS_AT_ONCE).map(({ sessionId }) => sessionKey(queueId, sessionId));
    told.push(...(await readMetadataScript.run(store, { keys: { sessions: keys }, args: {} })));
  }
  return sessions.map((session, index) => ({ ...session, metadata: parse(told[index] ?? "") }));
}

const metadataSchema = z.record(z.string(), z.unknown());

/** Written by an edge, from a body that it had checked. */
function parse(text: string): Metadata {
  return text === "" ? null : metadataSchema.parse(JSON.parse(text));
}
