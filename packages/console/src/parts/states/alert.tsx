/** Errors, as people read them. */

import { ApiError, messageOfError } from "../../api/api-error.ts";

/**
 * Shows an error: its message, or each of its problems.
 * @param props.shown pointers of problems that stand at fields of the form already
 */
export function Alert({
  error,
  shown = [],
}: {
  readonly error: unknown;
  readonly shown?: readonly string[];
}) {
  if (error === null || error === undefined) return null;
  const problems = error instanceof ApiError ? error.problems : [];
  const rest = problems.filter(({ pointer }) => !shown.includes(pointer));
  return (
    <div role="alert" class="alert">
      {problems.length === 0 && <p>{messageOfError(error)}</p>}
      {problems.length > 0 && <p>The service refused this. What it found:</p>}
      {problems.length > 0 && (
        <ul>
          {(rest.length > 0 ? rest : problems).map(({ pointer, message }) => (
            <li key={pointer + message}>
              {pointer !== "" && <code>{pointer}</code>} {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
