/** Labelled fields of forms. */

import { useEffect, useId, useRef, useState } from "preact/hooks";

/** Properties of {@link Field}. */
interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: "text" | "password" | "search" | "email";
  /** The fault of the value. */
  readonly problem?: string | undefined;
  /** A sentence below the field. */
  readonly hint?: string;
  readonly autoFocus?: boolean;
  readonly autocomplete?: string;
  readonly required?: boolean;
  readonly placeholder?: string;
  /** Names to choose from, besides any other text. */
  readonly choices?: readonly string[];
}

/** A text field with its label, its hint, and its problem, which goes as soon as the value is another. */
export function Field(props: FieldProps) {
  const { label, value, onInput, type = "text", hint, choices, autoFocus, problem: found, ...rest } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (autoFocus === true) input.current?.focus();
  }, []);
  const [isMended, setMended] = useState(false);
  useEffect(() => setMended(false), [found]);
  const problem = isMended ? undefined : found;
  const described = [problem !== undefined && `${id}-problem`, hint !== undefined && `${id}-hint`];
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        ref={input}
        id={id}
        type={type}
        value={value}
        dir="auto"
        spellcheck={false}
        autocapitalize="none"
        autocomplete="off"
        aria-invalid={problem !== undefined}
        aria-describedby={described.filter(Boolean).join(" ") || undefined}
        list={choices === undefined ? undefined : `${id}-choices`}
        onInput={(event) => {
          setMended(true);
          onInput(event.currentTarget.value);
        }}
        {...rest}
      />
      {choices !== undefined && (
        <datalist id={`${id}-choices`}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
      {problem !== undefined && (
        <p id={`${id}-problem`} class="problem">
          {problem}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}
