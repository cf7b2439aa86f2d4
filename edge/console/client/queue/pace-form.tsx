import { useEffect, useState } from "preact/hooks";
import { systemClock } from "../../../../shared/clock.ts";
import { effectNow } from "../../queue-now.ts";
import type { Queue, Read } from "../api.ts";
import { useConsole } from "../parts/console-context.ts";
import { Field } from "../parts/field.tsx";
import { type Change, ConfirmChange } from "./confirm-change.tsx";
import { MessageField } from "./message-field.tsx";
import type { QueueProps } from "./queue-view.tsx";

type Draft = { readonly rate: string; readonly cap: string; readonly message: string };

/** The three things that are turned during a launch. What a change will do is said while it is typed. */
export function PaceForm({ queue, etag, refresh }: QueueProps) {
  const { say } = useConsole();
  const [seen, setSeen] = useState<Read<Queue>>({ body: queue, etag });
  const [draft, setDraft] = useState<Draft>(draftOf(queue));
  const [isAsking, setAsking] = useState(false);
  const change = changeOf(seen.body, draft);
  const isChanged = Object.keys(change).length > 0;

  // Nobody types here, so the form follows the queue; while somebody does, it stays as they saw it.
  useEffect(() => {
    if (isChanged || isAsking || etag === seen.etag) return;
    setSeen({ body: queue, etag });
    setDraft(draftOf(queue));
  }, [queue, etag, seen.etag, isChanged, isAsking]);

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
            label="Rate"
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
            label="Cap"
            unit="inside"
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
            <button type="button" onClick={() => setDraft(draftOf(seen.body))}>
              Discard
            </button>
          )}
        </div>
      </form>
      {isAsking && (
        <ConfirmChange
          title={`Change ${queue.name}`}
          confirm="Change it"
          seen={{ body: { ...queue, ...pick(seen.body) }, etag: seen.etag }}
          change={change}
          onDone={(changed) => {
            setAsking(false);
            setSeen(changed);
            setDraft(draftOf(changed.body));
            refresh();
            say(`${queue.name}: changed.`);
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </section>
  );
}

function pick({ admissionRate, maxActive, mode, version }: Queue) {
  return { admissionRate, maxActive, mode, version };
}

function draftOf(queue: Queue): Draft {
  return { rate: String(queue.admissionRate), cap: String(queue.maxActive), message: queue.message };
}

function changeOf(queue: Queue, { rate, cap, message }: Draft): Change {
  const [admissionRate, maxActive] = [Number(rate), Number(cap)];
  return {
    ...(rate !== "" && admissionRate > 0 && admissionRate !== queue.admissionRate && { admissionRate }),
    ...(cap !== "" && maxActive > 0 && maxActive !== queue.maxActive && { maxActive }),
    ...(message !== queue.message && { message }),
  };
}
