import { useEffect, useState } from "preact/hooks";
import type { Queue, Read } from "../api.ts";
import { useConsole } from "../parts/console-context.ts";
import { Choice, Field } from "../parts/field.tsx";
import { type Change, ConfirmChange } from "./confirm-change.tsx";
import type { QueueProps } from "./queue-view.tsx";

/** How long a slot is held, in seconds; as the API names it. */
const TIMES = [
  ["sessionTtlSeconds", "Session time", "10", "86400", "How long a session lasts from its first use."],
  [
    "claimSeconds",
    "Claim window",
    "2",
    "600",
    "How long a slot is held for a visitor who has not come back with the pass; at least 10 s.",
  ],
  [
    "idleSeconds",
    "Idle time",
    "0",
    "86400",
    "A session without a request for so long gives its slot back. 0: off; else at least 10.",
  ],
  ["banSeconds", "Ban", "0", "86400", "How long a visitor may not join again after you revoke the session. 0: off."],
] as const;

type Name = (typeof TIMES)[number][0];
type Draft = Readonly<Record<Name | "sameSite", string>>;

/** The rules of sessions and their slots. The form shows the effect of a change before it is made. */
export function SessionRules({ queue, etag, refresh }: QueueProps) {
  const { say } = useConsole();
  const [seen, setSeen] = useState<Read<Queue>>({ body: queue, etag });
  const [draft, setDraft] = useState<Draft>(draftOf(queue));
  const [isAsking, setAsking] = useState(false);
  const change = changeOf(seen.body, draft);
  const isChanged = Object.keys(change).length > 0;

  // An untouched form follows the queue.
  useEffect(() => {
    if (isChanged || isAsking || etag === seen.etag) return;
    setSeen({ body: queue, etag });
    setDraft(draftOf(queue));
  }, [queue, etag, seen.etag, isChanged, isAsking]);

  return (
    <section class="card" aria-label="Session rules">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged) setAsking(true);
        }}
      >
        <h2>Session rules</h2>
        <div class="pair">
          {TIMES.map(([name, label, min, max, hint]) => (
            <Field
              key={name}
              label={label}
              unit="s"
              type="number"
              min={min}
              max={max}
              step="1"
              required={true}
              hint={hint}
              value={draft[name]}
              onChange={(value) => setDraft({ ...draft, [name]: value })}
            />
          ))}
        </div>
        <Choice
          label="Cookies with forms of other sites"
          value={draft.sameSite}
          options={[
            ["lax", "Not sent (SameSite=Lax)"],
            ["none", "Sent (SameSite=None, https only)"],
          ]}
          onChange={(sameSite) => setDraft({ ...draft, sameSite })}
        />
        <div class="form-actions">
          <button type="submit" class="primary" disabled={!isChanged}>
            Review change
          </button>
        </div>
      </form>
      {isAsking && (
        <ConfirmChange
          title={`Change the session rules of ${queue.name}`}
          confirm="Change the rules"
          action="Saving the session rules"
          seen={seen}
          change={change}
          onDone={(changed) => {
            setAsking(false);
            setSeen(changed);
            setDraft(draftOf(changed.body));
            refresh();
            say(`${queue.name}: session rules changed.`);
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </section>
  );
}

function draftOf(queue: Queue): Draft {
  const times = Object.fromEntries(TIMES.map(([name]) => [name, String(queue[name])])) as Record<Name, string>;
  return { ...times, sameSite: queue.sameSite };
}

function changeOf(queue: Queue, draft: Draft): Change {
  const times = TIMES.filter(([name]) => draft[name] !== "" && Number(draft[name]) !== queue[name]);
  return {
    ...Object.fromEntries(times.map(([name]) => [name, Number(draft[name])])),
    ...(draft.sameSite !== queue.sameSite && { sameSite: draft.sameSite }),
  };
}
