import type { NextStep, PageFacts } from "../page-facts.ts";
import { findNonce, type Puzzle } from "./find-nonce.ts";

type Work = Extract<NextStep, { kind: "prove" }>["challenge"];

/** The text of this script, for the worker. */
type Own = { readonly ownText: string };

const RETRY_MS = 3_000;

/**
 * Does the work that the queue asks newcomers for, joins with it, and continues to the page. It does so after a failure
 * too, which brings new work.
 */
export async function prove({ next, queueId, texts, returnTo }: PageFacts, { ownText }: Own): Promise<void> {
  if (next.kind !== "prove") return;
  // Without cookies the place would be lost with the next page, and the work would begin again.
  if (!navigator.cookieEnabled) return say(texts.ended.lost);
  const afterMs = await join(queueId, next.challenge, ownText).catch(() => RETRY_MS);
  const spread = spreadOf(next.challenge);
  if (afterMs > 0) await pause(afterMs * spread);
  while (!(await isReachable())) await pause(RETRY_MS * spread);
  if (returnTo === null) location.reload();
  else location.replace(returnTo);
}

/**
 * 1 to 2, and another for each visitor, so that a crowd does not come back at once: the id is random enough for that.
 */
function spreadOf({ id }: Work): number {
  return 1 + (id.charCodeAt(0) % 32) / 32;
}

/** 0 when there is a place; else when to try again. */
async function join(queueId: string, work: Work, script: string): Promise<number> {
  const nonce = await solve(work, script);
  const response = await fetch(`/_sluice/queues/${queueId}/enter`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ proof: { challenge: work.token, nonce: String(nonce) } }),
  });
  return response.ok ? 0 : Number(response.headers.get("retry-after") ?? RETRY_MS / 1000) * 1000;
}

/** Without a connection the page would be replaced by the browser's own error. Needs no store. */
function isReachable(): Promise<boolean> {
  return fetch("/_sluice/jwks.json", { cache: "no-store" }).then(
    () => true,
    () => false,
  );
}

function solve({ id, bits }: Work, script: string): Promise<number> {
  try {
    const worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
    return new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<number>) => resolve(data);
      worker.onerror = () => solveHere({ id, bits }).then(resolve, reject);
      worker.postMessage({ id, bits });
    });
  } catch {
    // Some privacy settings forbid workers.
    return solveHere({ id, bits });
  }
}

/** A piece takes a few milliseconds: the page answers between two of them. */
const PIECE_TRIES = 2_000;

async function solveHere(puzzle: Puzzle): Promise<number> {
  for (let from = 0; ; from += PIECE_TRIES) {
    const nonce = findNonce(puzzle, { from, count: PIECE_TRIES });
    if (nonce !== undefined) return nonce;
    await pause(0);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function say({ heading, lead }: PageFacts["texts"]["waiting"]): void {
  for (const [selector, text] of [["h1", heading] as const, ["#lead", lead] as const]) {
    const element = document.querySelector(selector);
    if (element !== null) element.textContent = text;
  }
}
