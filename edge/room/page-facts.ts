import type { OwnTexts } from "./own-texts.ts";
import type { RoomState } from "./room-state.ts";
import type { EarlyTexts, LiveTexts } from "./texts/room-texts.ts";

/** The page's data for its script. */
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
  /** The address to continue to. Null: this page, as it was requested. */
  readonly returnTo: string | null;
  readonly memoryCookie: string;
  readonly memorySeconds: number;
};

/** The page's next step: poll the line, request the page again, do the work that newcomers owe, or stay. */
export type NextStep =
  | { readonly kind: "poll"; readonly afterMs: number }
  | { readonly kind: "retry"; readonly afterMs: number }
  | {
      readonly kind: "prove";
      readonly challenge: { readonly token: string; readonly id: string; readonly bits: number };
    }
  | { readonly kind: "stay" };

/** Not secret and decides nothing, so that the script may write it. */
export function memoryCookieName(queueId: string): string {
  return `sluice-place-${queueId}`;
}
