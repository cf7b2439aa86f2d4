import { type Browser, chromium } from "playwright-core";
import { findProgram } from "../stack/servers/find-program.ts";

export const CHROMIUM_PROGRAMS = ["chromium", "chromium-browser", "google-chrome"] as const;

/** A headless Chromium that reaches this machine only. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = findProgram(...CHROMIUM_PROGRAMS);
  if (executablePath === undefined) throw new Error(`None of ${CHROMIUM_PROGRAMS.join(", ")} is on the PATH.`);
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    ],
  });
}
