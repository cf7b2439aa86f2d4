import type { OwnTexts } from "./own-texts.ts";
import type { RoomState } from "./room-state.ts";
import type { EarlyTexts, LiveTexts } from "./texts/room-texts.ts";

/** What a page tells its script. */
export type PageFacts = {
  readonly state: RoomState;
  readonly next: NextStep;
  readonly queueId: string;
  readonly queueName: string;
  readonly locale: string;
  readonly texts: LiveTexts;
  /** For a visitor who came too early. */
  readonly early?: EarlyTexts;
  readonly own: OwnTexts;
  /** When this was written, by the edge's clock: a browser's may be wrong. */
  readonly nowMs: number;
  /** How long a visitor may be silent before the line takes no more account of them. */
  readonly silenceMsMax: number;
  /** The address to go on to. Null: this very page, as it was asked for. */
  readonly returnTo: string | null;
  readonly memoryCookie: string;
  readonly memorySeconds: number;
};

/** How the page goes on by itself: asks the line, asks for the page again, does the work that is asked of newcomers, or stays as it is. */
export type NextStep =
  | { readonly kind: "poll"; readonly afterMs: number }
  | { readonly kind: "retry"; readonly afterMs: number }
  | { readonly kind: "prove"; readonly challenge: { readonly token: string; readonly id: string; readonly bits: number } }
  | { readonly kind: "stay" };

/** Not secret and decides nothing, so that the script may write it. */
export function memoryCookieName(queueId: string): string {
  return `sluice-place-${queueId}`;
}
