/** Adding one thing to another by its name. */

import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { Alert } from "./alert.tsx";
import { Field } from "./field.tsx";
import { useDelayed } from "./use-delayed.ts";
import { Warnings } from "./warnings.tsx";

const CHOICES = 20;

/** Properties of {@link AddByName}. */
export interface AddByNameProps {
  readonly label: string;
  /** Text of the button. */
  readonly act: string;
  /** The list of names to choose from; undefined where the person may not read it. */
  readonly list: "GET /auth/users" | "GET /auth/groups" | "GET /auth/policies" | undefined;
  readonly change: {
    readonly isPending: boolean;
    readonly error: unknown;
    readonly data: { readonly warnings: readonly string[] } | undefined;
  };
  /** Adds the thing of a name, and calls `done` when that is done. */
  readonly onAdd: (name: string, done: () => void) => void;
}

/** A field with suggestions, and its button. */
export function AddByName({ label, act, list, change, onAdd }: AddByNameProps) {
  const [name, setName] = useState("");
  const part = useDelayed(name);
  const choices = useQuery({
    queryKey: ["choices", list, part],
    queryFn: async () => {
      const { results } = await call(list ?? "GET /auth/users", { query: { search: part, amount: CHOICES } });
      return results.map(({ id }) => id);
    },
    enabled: list !== undefined,
    placeholderData: (before) => before,
  });
  return (
    <form
      class="add"
      onSubmit={(event) => {
        event.preventDefault();
        if (name !== "") onAdd(name, () => setName(""));
      }}
    >
      <Field label={label} value={name} onInput={setName} choices={choices.data ?? []} />
      <button type="submit" disabled={change.isPending}>
        {act}
      </button>
      <Alert error={change.error} />
      <Warnings texts={change.data?.warnings ?? []} />
    </form>
  );
}
