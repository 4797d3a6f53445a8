/** Errors, as people read them. */

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, messageOfError } from "../../api/api-error.ts";

/**
 * Shows an error: its message, or each of its problems. In a form it goes as soon as somebody types, as it is about what stood
 * there before.
 * @param props.shown pointers of problems that stand at fields of the form already
 */
export function Alert({
  error,
  shown = [],
}: {
  readonly error: unknown;
  readonly shown?: readonly string[];
}) {
  const element = useRef<HTMLDivElement>(null);
  const [mended, setMended] = useState<unknown>();
  useEffect(() => {
    const form = element.current?.closest("form");
    const onInput = (): void => setMended(error);
    form?.addEventListener("input", onInput);
    return () => form?.removeEventListener("input", onInput);
  }, [error]);
  if (error === null || error === undefined || error === mended) return null;
  const problems = error instanceof ApiError ? error.problems : [];
  const rest = problems.filter(({ pointer }) => !shown.includes(pointer));
  return (
    <div ref={element} role="alert" class="alert">
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
