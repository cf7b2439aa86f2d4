import { useState } from "preact/hooks";
import { isProblem, type Queue, type Read } from "../api.ts";
import { useConsole } from "../parts/console-context.ts";
import { type Failed, ProblemNote } from "../parts/problem-note.tsx";
import { MODES, type Mode, stateOf, wordsOfMode } from "../words.ts";
import { ConfirmChange } from "./confirm-change.tsx";
import type { QueueProps } from "./queue-view.tsx";

/** These admit every visitor or turn every visitor away, which cannot be undone. */
const ASKED_FIRST: ReadonlySet<Mode> = new Set(["open", "maintenance"]);

/** One click, and it can be taken back; what cannot be taken back is asked first. */
export function ModeSwitch({ queue: lastRead, etag: lastReadEtag, refresh }: QueueProps) {
  const { api, say } = useConsole();
  // The answer to our own change counts until the queue is read again: the next click may come first.
  const [own, setOwn] = useState<{ readonly over: string; readonly changed: Read<Queue> }>();
  const { body: queue, etag } = own?.over === lastReadEtag ? own.changed : { body: lastRead, etag: lastReadEtag };
  const [asked, setAsked] = useState<Mode>();
  const [failed, setFailed] = useState<Failed>();
  const path = `/queues/${queue.queueId}`;

  async function change(mode: Mode): Promise<void> {
    setFailed(undefined);
    if (mode === queue.mode) return;
    if (ASKED_FIRST.has(mode)) {
      setAsked(mode);
      return;
    }
    try {
      tell(mode, await api.send<Queue>("PATCH", path, { body: { mode }, etag }));
    } catch (caught) {
      // A concurrent change was faster: the dialog shows it.
      if (isProblem(caught, "version_conflict")) setAsked(mode);
      else setFailed({ action: wordsOfMode(mode).doing, kind: "change", error: caught as Error });
    }
  }

  function tell(mode: Mode, changed: Read<Queue>): void {
    setOwn({ over: lastReadEtag, changed });
    refresh();
    say(`${queue.name}: ${stateOf(mode)}.`, async () => {
      try {
        const undone = await api.send<Queue>("PATCH", path, { body: { mode: queue.mode }, etag: changed.etag });
        setOwn({ over: lastReadEtag, changed: undone });
        say(`${queue.name}: ${stateOf(queue.mode)} again.`);
        setFailed(undefined);
      } catch (caught) {
        setFailed({ action: "Undoing the change of mode", kind: "change", error: caught as Error });
      }
      refresh();
    });
  }

  return (
    <>
      <fieldset class="modes">
        <legend class="hidden">Mode</legend>
        {MODES.map(({ mode, verb }) => (
          <button
            key={mode}
            type="button"
            data-mode={mode}
            aria-pressed={mode === queue.mode}
            onClick={() => void change(mode)}
          >
            {verb}
          </button>
        ))}
      </fieldset>
      <ProblemNote failed={failed} onDismiss={() => setFailed(undefined)} />
      {asked && (
        <ConfirmChange
          title={`${wordsOfMode(asked).verb}: ${queue.name}`}
          confirm={wordsOfMode(asked).deed}
          action={wordsOfMode(asked).doing}
          isDangerous={ASKED_FIRST.has(asked)}
          seen={{ body: queue, etag }}
          change={{ mode: asked }}
          onDone={(changed) => {
            setAsked(undefined);
            tell(asked, changed);
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}
