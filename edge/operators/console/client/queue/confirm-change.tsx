import { useState } from "preact/hooks";
import { systemClock } from "../../../../../shared/clock.ts";
import { effectNow } from "../../queue-now.ts";
import { isProblem, type Queue, type Read } from "../api.ts";
import { useConsole } from "../parts/console-context.ts";
import { Dialog } from "../parts/dialog.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { settingLabel, settingText } from "../words.ts";

export type Change = Readonly<Record<string, unknown>>;

type ConfirmProps = {
  readonly title: string;
  /** The button's label. */
  readonly confirm: string;
  /** The same as the beginning of a sentence about a failure. */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** As the operator has seen it. */
  readonly seen: Read<Queue>;
  readonly change: Change;
  readonly onDone: (changed: Read<Queue>) => void;
  readonly onClose: () => void;
};

/** Shows the effect of a change before it is made, and, after a concurrent change, what has changed. */
export function ConfirmChange({ title, confirm, action, isDangerous, seen, change, onDone, onClose }: ConfirmProps) {
  const { api } = useConsole();
  const [current, setCurrent] = useState(seen);
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const path = `/queues/${seen.body.queueId}`;

  async function save(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      onDone(await api.send<Queue>("PATCH", path, { body: change, etag: current.etag }));
    } catch (caught) {
      // The concurrent change is read first, so that a screen reader announces the alert once and completely.
      if (isProblem(caught, "version_conflict")) setCurrent(await api.get<Queue>(path).catch(() => current));
      setError(caught as Error);
    }
    setBusy(false);
  }

  const foreign = differencesBetween(seen.body, current.body);
  const hasConflict = isProblem(error, "version_conflict");
  return (
    <Dialog
      title={title}
      confirm={hasConflict ? `${confirm} anyway` : confirm}
      isBusy={isBusy}
      onConfirm={() => void save()}
      onClose={onClose}
      {...(isDangerous === undefined ? {} : { isDangerous })}
    >
      <ChangeTable rows={rowsOf(current.body, change)} />
      {effectNow(current.body, change, systemClock.nowMs()).map((sentence) => (
        <p key={sentence} class="effect">
          {sentence}
        </p>
      ))}
      {hasConflict ? (
        <div class="note bad" role="alert">
          <p>Another operator has changed this queue since you read it, so your change was not made.</p>
          {foreign.length > 0 && <ChangeTable rows={foreign} />}
        </div>
      ) : (
        <ProblemNote failed={error && { action, kind: "change", error }} onDismiss={() => setError(undefined)} />
      )}
    </Dialog>
  );
}

export type ChangeRow = { readonly name: string; readonly before: unknown; readonly after: unknown };

export function ChangeTable({ rows }: { readonly rows: readonly ChangeRow[] }) {
  return (
    <dl class="changes">
      {rows.map(({ name, before, after }) => (
        <div key={name}>
          <dt>{settingLabel(name)}</dt>
          <dd>
            {before !== undefined && (
              <>
                <del>{settingText(name, before)}</del> <span aria-hidden="true">→</span>{" "}
              </>
            )}
            <ins>{settingText(name, after)}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function rowsOf(queue: Queue, change: Change): readonly ChangeRow[] {
  const before = queue as Readonly<Record<string, unknown>>;
  return Object.entries(change).map(([name, after]) => ({ name, before: before[name], after }));
}

/** Measured values change without an operator. */
const MEASURED: ReadonlySet<string> = new Set([
  "queueId",
  "version",
  "waiting",
  "ready",
  "active",
  "admissionsPerSecond",
]);

function differencesBetween(seen: Queue, current: Queue): readonly ChangeRow[] {
  const before = seen as Readonly<Record<string, unknown>>;
  return Object.entries(current)
    .filter(([name, value]) => !MEASURED.has(name) && JSON.stringify(value) !== JSON.stringify(before[name]))
    .map(([name, after]) => ({ name, before: before[name], after }));
}
