import type { PageFacts } from "../page-facts.ts";
import { findNonce, type Puzzle } from "./find-nonce.ts";
import { prove } from "./prove.ts";

/**
 * The script of the page that asks for work, in place of the room's own: that page is over in seconds. It runs twice
 * from one text: in the page, where it sees the work through, and in a worker, where it answers a puzzle with its
 * solution. So the page stays quick, and where a browser allows no workers it does the work itself.
 */
if (typeof document === "undefined") self.onmessage = ({ data }: MessageEvent<Puzzle>) => self.postMessage(solve(data));
else void prove(factsOfPage(), { ownText: document.currentScript?.textContent ?? "" });

function factsOfPage(): PageFacts {
  return JSON.parse(document.getElementById("facts")?.textContent ?? "") as PageFacts;
}

/** Far more tries than the hardest puzzle needs. */
const TRIES_MAX = 2 ** 40;

function solve(puzzle: Puzzle): number | undefined {
  return findNonce(puzzle, { from: 0, count: TRIES_MAX });
}
