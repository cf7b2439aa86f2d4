import { ApiProblem } from "../api.ts";
import { settingLabel } from "../words.ts";

/** A failed action of the operator or of the page. */
export type Failed = {
  /** As the beginning of a sentence: "Saving the queue". */
  readonly action: string;
  /** Only for a change it matters whether it was made nevertheless. */
  readonly kind: "change" | "read";
  readonly error: Error;
};

type NoteProps = { readonly failed: Failed | undefined; readonly onDismiss?: () => void };

/**
 * An error as the operator can act on it: which action, whether it happened, why, which fields, and the id that finds
 * it in the log.
 */
export function ProblemNote({ failed, onDismiss }: NoteProps) {
  if (failed === undefined) return null;
  const { error } = failed;
  const { fields, requestId } = error instanceof ApiProblem ? error : { fields: [], requestId: undefined };
  return (
    <div class="note bad" role="alert">
      <div class="note-head">
        <p>
          <b>{outcomeOf(failed)}</b>
        </p>
        {onDismiss && (
          <button type="button" class="plain" aria-label="Dismiss" onClick={onDismiss}>
            ×
          </button>
        )}
      </div>
      <p>{error.message}</p>
      {fields.length > 0 && (
        <ul>
          {fields.map(({ field, message }) => (
            <li key={field}>
              <b>{settingLabel(field)}</b>: {message}
            </li>
          ))}
        </ul>
      )}
      {requestId && (
        <p class="fine">
          Request <code>{requestId}</code>
        </p>
      )}
    </div>
  );
}

const REFUSED_STATUS_MIN = 400;
const SERVER_STATUS_MIN = 500;

/** A refusal changes nothing. Without an answer, or after an internal error, the outcome is unknown. */
function outcomeOf({ action, kind, error }: Failed): string {
  if (kind === "read") return `${action} failed.`;
  const status = error instanceof ApiProblem ? error.status : undefined;
  if (status === undefined) return `${action}: no answer. It may have happened. Reload to see.`;
  const isRefused = status >= REFUSED_STATUS_MIN && status < SERVER_STATUS_MIN;
  return isRefused
    ? `${action} failed: nothing was changed.`
    : `${action} failed. It may have happened all the same. Reload to see.`;
}
