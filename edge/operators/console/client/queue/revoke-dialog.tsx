import { useState } from "preact/hooks";
import { duration } from "../../forecast.ts";
import { useConsole } from "../parts/console-context.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";

type RevokeProps = {
  readonly queueId: string;
  readonly sessionId: string;
  readonly banSeconds: number;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

const REASON_CHARS_MAX = 200;

export function RevokeDialog({ queueId, sessionId, banSeconds, onDone, onClose }: RevokeProps) {
  const { api } = useConsole();
  const [reason, setReason] = useState("");
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);

  async function revoke(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      const body = reason.trim() === "" ? {} : { body: { reason: reason.trim() } };
      await api.send("DELETE", `/queues/${queueId}/sessions/${sessionId}`, body);
      onDone();
    } catch (caught) {
      setError(caught as Error);
      setBusy(false);
    }
  }

  return (
    <Dialog
      title="Revoke this session"
      confirm="Revoke session"
      isDangerous={true}
      isBusy={isBusy}
      onConfirm={() => void revoke()}
      onClose={onClose}
    >
      <p>
        <code>{sessionId}</code>
      </p>
      <p class="effect">
        Its slot is free at once, and its passes are refused everywhere within 2 s. Its visitor is told that the visit
        was ended, and can join the line again{banSeconds > 0 && ` after ${duration(banSeconds)}`}. There is no undo.
      </p>
      <Field
        label="Reason"
        hint="For the audit log."
        maxLength={REASON_CHARS_MAX}
        value={reason}
        onChange={setReason}
      />
      <ProblemNote
        failed={error && { action: "Revoking the session", kind: "change", error }}
        onDismiss={() => setError(undefined)}
      />
    </Dialog>
  );
}
