import { useState } from "preact/hooks";
import { LANGUAGES } from "../../../../line/page/language.ts";
import { ROOM_STATE_NAMES, type RoomStateName } from "../../../../room/room-state.ts";
import type { Queue } from "../api.ts";
import { Choice } from "../parts/field.tsx";

const STATE_NAMES: Readonly<Record<RoomStateName, string>> = {
  checking: "Checking the browser",
  waiting: "Waiting",
  yourTurn: "Your turn",
  prequeue: "Before the start",
  paused: "Paused",
  full: "Full",
  maintenance: "Maintenance",
  ended: "Ended",
  storeDown: "Store down",
  otherSite: "Back from another site",
  rateLimited: "Too many requests",
};

const STATES = ROOM_STATE_NAMES.map((name) => [name, STATE_NAMES[name]] as const);
const OPTIONS = LANGUAGES.map(
  (code) => [code, new Intl.DisplayNames([code], { type: "language" }).of(code) ?? code] as const,
);

/** The visitor's page as the edge would send it now, in each of its states. */
export function PagePreview({
  queueId,
  language: ownLanguage,
  version,
}: Pick<Queue, "queueId" | "language" | "version">) {
  const [state, setState] = useState<string>("prequeue");
  const [language, setLanguage] = useState<string>(ownLanguage);
  return (
    <section class="card" aria-label="Preview">
      <h2>What visitors see</h2>
      <div class="pair">
        <Choice label="State" value={state} options={STATES} onChange={setState} />
        <Choice label="Language" value={language} options={OPTIONS} onChange={setLanguage} />
      </div>
      <iframe
        key={version}
        class="preview"
        title="Preview of the visitor’s page"
        sandbox="allow-same-origin"
        src={`/_sluice/admin/queues/${queueId}/preview?state=${state}&lang=${language}`}
      />
    </section>
  );
}
