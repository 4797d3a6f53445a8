/** The editor of a policy with its findings, what changes by it, and the way to save it. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useSession } from "../../frame/session.tsx";
import { CodeEditor } from "../../parts/code-editor/code-editor.tsx";
import { WhatChanges } from "../../parts/policies/what-changes.tsx";
import { Findings } from "./findings.tsx";
import { useLint } from "./use-lint.ts";

/** Properties of {@link PolicyForm}. */
interface PolicyFormProps {
  readonly name: string;
  readonly text: string;
  readonly onInput: (text: string) => void;
  readonly onSave: () => void;
  readonly isPending: boolean;
  /** True where there is nothing to save. */
  readonly isSaved: boolean;
  /** The field above the editor. */
  readonly above?: ComponentChildren;
  /** Errors and warnings of saving. */
  readonly below?: ComponentChildren;
  /** Buttons beside "Save". */
  readonly others?: ComponentChildren;
}

/** Edits the text of a policy. */
export function PolicyForm(props: PolicyFormProps) {
  const { name, text, onInput, onSave, isPending, isSaved, above, below, others } = props;
  const { partition, actions } = useSession();
  const lint = useLint(text, name);
  const [compared, setCompared] = useState<string>();
  const mayCompare = actions.has("auth:ReadPolicy");
  return (
    <form
      class="policy-form"
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
    >
      {above}
      <CodeEditor
        label="Policy document"
        value={text}
        onInput={onInput}
        findings={lint?.findings ?? []}
        partition={partition}
      />
      <Findings lint={lint} />
      {below}
      <p class="buttons start">
        <button type="submit" class="primary" disabled={isPending || isSaved}>
          Save
        </button>
        {mayCompare && (
          <button
            type="button"
            disabled={isSaved || (lint?.errors ?? 0) > 0}
            onClick={() => setCompared(text)}
          >
            What changes
          </button>
        )}
        {others}
      </p>
      {compared !== undefined && !isSaved && (
        <section class="compared" aria-label="What changes if this is saved">
          {compared !== text && <p class="quiet-text">The text has changed since it was compared.</p>}
          <WhatChanges change={{ document: compared, ...(name === "" ? {} : { name }) }} />
        </section>
      )}
    </form>
  );
}
