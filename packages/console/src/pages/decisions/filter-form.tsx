/** The form above the decision log. */

import { useId, useState } from "preact/hooks";
import { ACTION_NAMES } from "../../catalog/actions.ts";
import { Field } from "../../parts/forms/field.tsx";
import type { RecordFilter } from "./filter.ts";

/** Properties of {@link FilterForm}. */
interface FilterFormProps {
  readonly filter: RecordFilter;
  readonly onShow: (filter: RecordFilter) => void;
  readonly isLive: boolean;
  readonly onLive: (on: boolean) => void;
}

/** Subject, action, resource, policy, outcome, times, and whether new records come in by themselves. */
export function FilterForm({ filter, onShow, isLive, onLive }: FilterFormProps) {
  const [typed, setTyped] = useState(filter);
  const id = useId();
  const field = (name: keyof RecordFilter) => ({
    value: typed[name] ?? "",
    onInput: (value: string): void => setTyped({ ...typed, [name]: value }),
  });
  return (
    <form
      class="question"
      onSubmit={(event) => {
        event.preventDefault();
        onShow(typed);
      }}
    >
      <div class="question-fields">
        <Field label="Subject" {...field("subject")} placeholder="alice, or al*" />
        <Field label="Action" {...field("action")} choices={ACTION_NAMES} placeholder="fs:*" />
        <Field label="Resource" {...field("resource")} placeholder="arn:svc:fs:::repository/*" />
        <Field label="Policy" {...field("policy")} />
        <div class="field">
          <label for={id}>Outcome</label>
          <select
            id={id}
            value={typed.decision ?? ""}
            onChange={(event) => {
              const next = { ...typed, decision: event.currentTarget.value };
              setTyped(next);
              onShow(next);
            }}
          >
            <option value="">Any</option>
            <option value="allow">Allowed</option>
            <option value="deny">Refused</option>
            <option value="neutral">Refused, no statement denies</option>
          </select>
        </div>
        <button type="submit" class="primary">
          Filter
        </button>
      </div>
      <details open={(typed.since ?? "") !== "" || (typed.until ?? "") !== "" || undefined}>
        <summary>Times</summary>
        <div class="question-fields">
          <Field label="Since" {...field("since")} placeholder="2026-11-22T08:00:00Z" />
          <Field label="Until" {...field("until")} placeholder="2026-11-22T09:00:00Z" />
        </div>
      </details>
      <label class="check">
        <input type="checkbox" checked={isLive} onChange={(event) => onLive(event.currentTarget.checked)} />
        Live: show new records as they are written
      </label>
    </form>
  );
}
