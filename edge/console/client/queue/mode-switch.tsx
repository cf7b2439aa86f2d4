import { useState } from "preact/hooks";
import { isProblem, type Queue } from "../api.ts";
import { useConsole } from "../parts/console-context.ts";
import { ProblemNote } from "../parts/problem-note.tsx";
import { MODES, type Mode, stateOf } from "../words.ts";
import { ConfirmChange } from "./confirm-change.tsx";
import type { QueueProps } from "./queue-view.tsx";

/** These let everybody in or turn everybody away, and no undo brings those people back. */
const ASKED_FIRST: ReadonlySet<Mode> = new Set(["open", "maintenance"]);

/** One click, and it can be taken back; what cannot be taken back is asked first. */
export function ModeSwitch({ queue, etag, refresh }: QueueProps) {
  const { api, say } = useConsole();
  const [asked, setAsked] = useState<Mode>();
  const [error, setError] = useState<Error>();
  const path = `/queues/${queue.queueId}`;

  async function change(mode: Mode): Promise<void> {
    setError(undefined);
    if (mode === queue.mode) return;
    if (ASKED_FIRST.has(mode)) {
      setAsked(mode);
      return;
    }
    try {
      const changed = await api.send<Queue>("PATCH", path, { body: { mode }, etag });
      tell(mode, changed.etag);
    } catch (caught) {
      // Somebody else was faster: the dialog shows what they did.
      if (isProblem(caught, "version_conflict")) setAsked(mode);
      else setError(caught as Error);
    }
  }

  function tell(mode: Mode, newEtag: string): void {
    refresh();
    say(`${queue.name}: ${stateOf(mode)}.`, async () => {
      try {
        await api.send("PATCH", path, { body: { mode: queue.mode }, etag: newEtag });
        say(`${queue.name}: ${stateOf(queue.mode)} again.`);
      } catch (caught) {
        setError(caught as Error);
      }
      refresh();
    });
  }

  return (
    <>
      <fieldset class="modes">
        <legend class="hidden">Mode</legend>
        {MODES.map(({ mode, verb }) => (
          <button key={mode} type="button" data-mode={mode} aria-pressed={mode === queue.mode} onClick={() => void change(mode)}>
            {verb}
          </button>
        ))}
      </fieldset>
      <ProblemNote error={error} />
      {asked && (
        <ConfirmChange
          title={`${MODES.find(({ mode }) => mode === asked)?.verb ?? asked}: ${queue.name}`}
          confirm={`Yes, ${(MODES.find(({ mode }) => mode === asked)?.verb ?? asked).toLowerCase()}`}
          isDangerous={ASKED_FIRST.has(asked)}
          seen={{ body: queue, etag }}
          change={{ mode: asked }}
          onDone={(changed) => {
            setAsked(undefined);
            tell(asked, changed.etag);
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}
