import { useState } from "preact/hooks";
import { systemClock } from "../../../../../shared/clock.ts";
import { useConsole } from "../parts/console-context.ts";
import { Choice, Field } from "../parts/field.tsx";
import { settingLabel } from "../words.ts";
import { ConfirmChange } from "./confirm-change.tsx";
import { type EventDraft, eventChangeOf, eventDraftOf, eventFaults, ORDERS } from "./event-draft.ts";
import { EventTimeline } from "./event-timeline.tsx";
import { PagePreview } from "./page-preview.tsx";
import type { QueueProps } from "./queue-view.tsx";

/** When people may take places, when the line begins to move, when it ends; and how it will look to them. */
export function EventTab({ queue, etag, refresh }: QueueProps) {
  const { say } = useConsole();
  // As it was when the form was opened: what others change meanwhile shows when this is saved.
  const [seen, setSeen] = useState({ body: queue, etag });
  const [draft, setDraft] = useState<EventDraft>(eventDraftOf(queue));
  const [isAsking, setAsking] = useState(false);
  const set = (part: Partial<EventDraft>) => setDraft({ ...draft, ...part });
  const change = eventChangeOf(seen.body, draft);
  const isChanged = Object.keys(change).length > 0;
  const faults = isChanged ? eventFaults(seen.body, draft, systemClock.nowMs()) : {};
  const canSave = isChanged && Object.keys(faults).length === 0;
  return (
    <div class="two">
      <section class="card" aria-label="Event">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (canSave) setAsking(true);
          }}
        >
          <h2>Event</h2>
          <p class="hint">
            Times are in your own time zone, {Intl.DateTimeFormat().resolvedOptions().timeZone}. Leave out what you do
            not need.
          </p>
          <Field
            label={settingLabel("prequeueOpensAt")}
            error={faults.prequeueOpensAt}
            hint="Visitors see a countdown. The line does not move yet."
            type="datetime-local"
            step="1"
            value={draft.prequeueOpensAt}
            onChange={(prequeueOpensAt) => set({ prequeueOpensAt })}
          />
          <Field
            label={settingLabel("opensAt")}
            error={faults.opensAt}
            type="datetime-local"
            step="1"
            value={draft.opensAt}
            onChange={(opensAt) => set({ opensAt })}
          />
          <Field
            label={settingLabel("closesAt")}
            error={faults.closesAt}
            hint="No new places are given; visitors who have one still enter."
            type="datetime-local"
            step="1"
            value={draft.closesAt}
            onChange={(closesAt) => set({ closesAt })}
          />
          <Choice
            label="Order of visitors who come before the start"
            error={faults.order}
            value={draft.order}
            options={ORDERS}
            onChange={(order) => set({ order })}
          />
          <fieldset class="group">
            <legend>During the event</legend>
            <p class="hint">In force while the event is on. Left empty, the queue’s own settings apply.</p>
            {faults.eventOverrides && <p class="fault">{faults.eventOverrides}</p>}
            <div class="pair">
              <Field
                label={settingLabel("admissionRate")}
                unit="people/s"
                type="number"
                min="0.001"
                max="10000"
                step="any"
                value={draft.rate}
                onChange={(rate) => set({ rate })}
              />
              <Field
                label={settingLabel("maxActive")}
                unit="people"
                type="number"
                min="1"
                max="1000000"
                step="1"
                value={draft.cap}
                onChange={(cap) => set({ cap })}
              />
            </div>
            <Field
              label="Session length"
              unit="seconds"
              type="number"
              min="10"
              max="86400"
              step="1"
              value={draft.sessionSeconds}
              onChange={(sessionSeconds) => set({ sessionSeconds })}
            />
          </fieldset>
          <EventTimeline draft={draft} />
          <div class="form-actions">
            <button type="submit" class="primary" disabled={!canSave}>
              Review event
            </button>
            {isChanged && (
              <button type="button" onClick={() => setDraft(eventDraftOf(seen.body))}>
                Discard
              </button>
            )}
          </div>
        </form>
      </section>
      <PagePreview queueId={queue.queueId} language={queue.language} version={queue.version} />
      {isAsking && (
        <ConfirmChange
          title={`Event of ${queue.name}`}
          confirm="Save the event"
          action="Saving the event"
          seen={seen}
          change={change}
          onDone={(changed) => {
            setAsking(false);
            setSeen(changed);
            setDraft(eventDraftOf(changed.body));
            refresh();
            say(`${queue.name}: the event is saved.`);
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}
