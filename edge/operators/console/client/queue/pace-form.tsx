import { useEffect, useId, useState } from "preact/hooks";
import { systemClock } from "../../../../../shared/clock.ts";
import { count } from "../../forecast.ts";
import { effectNow, isOwnOf, queueAt } from "../../queue-now.ts";
import type { Queue, Read } from "../api.ts";
import { useConsole } from "../parts/console-context.ts";
import { Field } from "../parts/field.tsx";
import { settingLabel } from "../words.ts";
import { type Change, ConfirmChange } from "./confirm-change.tsx";
import type { QueueProps } from "./queue-view.tsx";

type Draft = { readonly rate: string; readonly cap: string; readonly message: string };

/** The three settings for a launch, as they are in force. The form shows the effect of a change while it is typed. */
export function PaceForm({ queue, etag, refresh }: QueueProps) {
  const { say } = useConsole();
  const [seen, setSeen] = useState<Read<Queue>>({ body: queue, etag });
  // The values that the form showed first: with an event other values come into force without typing.
  const [shown, setShown] = useState<Draft>(draftOf(queue));
  const [draft, setDraft] = useState<Draft>(shown);
  const [isAsking, setAsking] = useState(false);
  const change = changeOf(seen.body, { draft, shown });
  const isChanged = Object.keys(change).length > 0;

  // An untouched form follows the queue; an edited one stays as it is.
  useEffect(() => {
    if (isChanged || isAsking || (etag === seen.etag && isSame(shown, draftOf(queue)))) return;
    follow({ body: queue, etag });
  }, [queue, etag, seen.etag, shown, isChanged, isAsking]);

  function follow(read: Read<Queue>): void {
    setSeen(read);
    setShown(draftOf(read.body));
    setDraft(draftOf(read.body));
  }

  const effects = isChanged ? effectNow({ ...queue, ...pick(seen.body) }, change, systemClock.nowMs()) : [];
  return (
    <section class="card" aria-label="Pace and message">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged) setAsking(true);
        }}
      >
        <h2>Pace and message</h2>
        <div class="pair">
          <Field
            label={settingLabel("admissionRate")}
            {...hintOf(seen.body, "admissionRate")}
            unit="people/s"
            type="number"
            min="0.001"
            max="10000"
            step="any"
            required={true}
            value={draft.rate}
            onChange={(rate) => setDraft({ ...draft, rate })}
          />
          <Field
            label={settingLabel("maxActive")}
            {...hintOf(seen.body, "maxActive")}
            unit="people"
            type="number"
            min="1"
            max="1000000"
            step="1"
            required={true}
            value={draft.cap}
            onChange={(cap) => setDraft({ ...draft, cap })}
          />
        </div>
        <MessageField value={draft.message} onChange={(message) => setDraft({ ...draft, message })} />
        <div class="effects" aria-live="polite">
          {effects.map((sentence) => (
            <p key={sentence} class="effect">
              {sentence}
            </p>
          ))}
        </div>
        <div class="form-actions">
          <button type="submit" class="primary" disabled={!isChanged}>
            Review change
          </button>
          {isChanged && (
            <button type="button" onClick={() => follow(seen)}>
              Discard
            </button>
          )}
        </div>
      </form>
      {isAsking && (
        <ConfirmChange
          title={`Change ${queue.name}`}
          confirm={deedOf(seen.body, change)}
          action="Saving the queue"
          seen={{ body: { ...queue, ...pick(seen.body) }, etag: seen.etag }}
          change={change}
          onDone={(changed) => {
            setAsking(false);
            follow(changed);
            refresh();
            say(`${queue.name}: saved.`);
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </section>
  );
}

function pick({ admissionRate, maxActive, eventOverrides, mode, version }: Queue) {
  return { admissionRate, maxActive, eventOverrides, mode, version };
}

/** The values in force now, which during an event may be its own. */
function draftOf(queue: Queue): Draft {
  const { admissionRate, maxActive, message } = queueAt(queue, systemClock.nowMs());
  return { rate: String(admissionRate), cap: String(maxActive), message };
}

/** A value of the event's own is changed there, so that it is the one in force that changes. */
function changeOf(queue: Queue, { draft, shown }: { readonly draft: Draft; readonly shown: Draft }): Change {
  const { rate, cap, message } = draft;
  const now = queueAt(queue, systemClock.nowMs());
  const isTyped = { admissionRate: rate !== shown.rate, maxActive: cap !== shown.cap };
  const typed = { admissionRate: rate === "" ? 0 : Number(rate), maxActive: cap === "" ? 0 : Number(cap) };
  const changed = (["admissionRate", "maxActive"] as const).filter(
    (name) => isTyped[name] && typed[name] > 0 && typed[name] !== now[name],
  );
  const pairs = (isOwn: boolean) =>
    changed.filter((name) => isOwnOf(queue, now, name) === isOwn).map((name) => [name, typed[name]]);
  const own = pairs(true);
  return {
    ...Object.fromEntries(pairs(false)),
    ...(own.length > 0 && { eventOverrides: { ...queue.eventOverrides, ...Object.fromEntries(own) } }),
    ...(message !== queue.message && { message }),
  };
}

function isSame(one: Draft, other: Draft): boolean {
  return one.rate === other.rate && one.cap === other.cap && one.message === other.message;
}

function hintOf(queue: Queue, name: "admissionRate" | "maxActive"): { readonly hint?: string } {
  const isOwn = isOwnOf(queue, queueAt(queue, systemClock.nowMs()), name);
  return isOwn ? { hint: `The event’s own value. Without the event it is ${count(queue[name])}.` } : {};
}

/** "Change admission rate and message"; a value of the event's own is named as such. */
function deedOf({ eventOverrides }: Queue, { eventOverrides: changedOwn, ...change }: Change): string {
  const [before, after] = [{ ...eventOverrides }, { ...(changedOwn as Queue["eventOverrides"]) }] as const;
  const own = (Object.keys(after) as (keyof typeof after)[]).filter((name) => after[name] !== before[name]);
  const names = [...Object.keys(change).map(lowerLabel), ...own.map((name) => `${lowerLabel(name)} of the event`)];
  return `Change ${new Intl.ListFormat("en").format(names)}`;
}

function lowerLabel(name: string): string {
  return settingLabel(name).replace(/^./, (letter) => letter.toLowerCase());
}

const CHARS_MAX = 500;

function MessageField({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>Message to waiting visitors</label>
      <textarea
        id={id}
        rows={3}
        maxLength={CHARS_MAX}
        value={value}
        aria-describedby={`${id}-hint`}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <p class="hint" id={`${id}-hint`}>
        Shown on the waiting page as plain text. Leave it empty for no message.
      </p>
    </div>
  );
}
