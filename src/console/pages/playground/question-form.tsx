/** The form of a question, with names to choose from. */

import { useAnswer } from "../../api/hooks.ts";
import { ACTIONS } from "../../catalog/catalog.gen.ts";
import { Field } from "../../parts/field.tsx";
import { useResourceForms } from "../../parts/resource-forms.ts";
import { useDelayed } from "../../parts/use-delayed.ts";
import type { Question } from "./question.ts";

const ACTION_NAMES = ACTIONS.map(({ name }) => name);
const SUGGESTED = 20;

/** Properties of {@link QuestionForm}. */
export interface QuestionFormProps {
  readonly typed: Question;
  readonly onChange: (question: Question) => void;
  readonly onAsk: () => void;
  readonly isBusy: boolean;
  readonly problems: Readonly<Record<keyof Question, string | undefined>>;
}

/** The labels User, Action and Resource, the context behind a fold, and the button Ask. */
export function QuestionForm({ typed, onChange, onAsk, isBusy, problems }: QuestionFormProps) {
  const users = useUserNames(typed.user);
  const resources = useResourceForms(typed.action);
  const change = (part: Partial<Question>): void => onChange({ ...typed, ...part });
  return (
    <form
      class="question"
      onSubmit={(event) => {
        event.preventDefault();
        onAsk();
      }}
    >
      <div class="question-fields">
        <Field
          label="User"
          value={typed.user}
          onInput={(user) => change({ user })}
          choices={users}
          problem={problems.user}
          required
        />
        <Field
          label="Action"
          value={typed.action}
          onInput={(action) => change({ action })}
          choices={ACTION_NAMES}
          placeholder="fs:ReadObject"
          problem={problems.action}
          required
        />
        <Field
          label="Resource"
          value={typed.resource}
          onInput={(resource) => change({ resource })}
          choices={resources}
          placeholder={resources[0] ?? "arn:svc:fs:::repository/example"}
          problem={problems.resource}
          required
        />
        <button type="submit" class="primary" disabled={isBusy}>
          Ask
        </button>
      </div>
      <details open={typed.context !== "" || undefined}>
        <summary>Context: what conditions read</summary>
        <Field
          label="Condition fields"
          value={typed.context}
          onInput={(context) => change({ context })}
          placeholder='{"SourceIp": "10.0.0.1"}'
          hint="A JSON object."
          problem={problems.context}
        />
      </details>
    </form>
  );
}

/** Names of users that have the typed text; none where the person may not list users. */
function useUserNames(typed: string): readonly string[] {
  const search = useDelayed(typed);
  const query = { amount: SUGGESTED, ...(search === "" ? {} : { search }) };
  const { data } = useAnswer("GET /auth/users", { query }, { keepPrevious: true });
  return data?.results.map(({ id }) => id) ?? [];
}
