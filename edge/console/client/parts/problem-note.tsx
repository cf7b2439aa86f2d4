import { ApiProblem } from "../api.ts";
import { settingLabel } from "../words.ts";

/** An error as the operator can act on it: what happened, which fields, and the id that finds it in the log. */
export function ProblemNote({ error }: { readonly error: Error | undefined }) {
  if (error === undefined) return null;
  const { fields, requestId } = error instanceof ApiProblem ? error : { fields: [], requestId: undefined };
  return (
    <div class="note bad" role="alert">
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
