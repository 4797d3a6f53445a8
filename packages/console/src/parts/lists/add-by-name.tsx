/** Adding one thing to another by its name. */

import type { PolicyCompareRequest } from "@svc-authorizer/contract/management-api.gen.ts";
import { useState } from "preact/hooks";
import { Field } from "../forms/field.tsx";
import { WhatChanges } from "../policies/what-changes.tsx";
import { Alert } from "../states/alert.tsx";
import { Warnings } from "../states/warnings.tsx";
import { type NameList, useNameChoices } from "./use-name-choices.ts";

/** Properties of {@link AddByName}. */
interface AddByNameProps {
  readonly label: string;
  /** Text of the button. */
  readonly act: string;
  /** The list of names to choose from; undefined where the person may not read it. */
  readonly list: NameList | undefined;
  readonly change: {
    readonly isPending: boolean;
    readonly error: unknown;
    readonly data: { readonly warnings: readonly string[] } | undefined;
  };
  /** The change that adding a name makes, to be compared before it is made; absent: it cannot be compared. */
  readonly compare?: ((name: string) => PolicyCompareRequest) | undefined;
  /** Text of the button that compares, where another one of the page has the usual text. */
  readonly compareAs?: string;
  /** Adds the thing of a name, and calls `done` when that is done. */
  readonly onAdd: (name: string, done: () => void) => void;
}

/** A field with suggestions, and its button. */
export function AddByName(props: AddByNameProps) {
  const { label, act, list, change, compare, compareAs = "What changes", onAdd } = props;
  const [compared, setCompared] = useState("");
  const [name, setName] = useState("");
  const choices = useNameChoices(list, name);
  return (
    <form
      class="add"
      onSubmit={(event) => {
        event.preventDefault();
        if (name !== "") onAdd(name, () => setName(""));
      }}
    >
      <Field label={label} value={name} onInput={setName} choices={choices} />
      <span class="buttons start">
        <button type="submit" disabled={change.isPending}>
          {act}
        </button>
        {compare !== undefined && (
          <button type="button" disabled={name === ""} onClick={() => setCompared(name)}>
            {compareAs}
          </button>
        )}
      </span>
      <Alert error={change.error} />
      {compare !== undefined && compared !== "" && compared === name && (
        <WhatChanges change={compare(compared)} />
      )}
      <Warnings texts={change.data?.warnings ?? []} />
    </form>
  );
}
