import type { ScriptRunner } from "../../shared/define-script.ts";
import type { StoreAddress } from "../env.ts";
import { openUpstash } from "./upstash.ts";

/** The gate's store: over a connection that the runtime keeps, or else over HTTP. */
export function openStore(address: StoreAddress): ScriptRunner {
  return address.kind === "connection" ? address.runner : openUpstash(address);
}
