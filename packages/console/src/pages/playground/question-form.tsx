/** The form of a question, with names to choose from. */

import { ACTION_NAMES } from "../../catalog/actions.ts";
import { useSession } from "../../frame/session.tsx";
import { Field } from "../../parts/forms/field.tsx";
import { useResourceForms } from "../../parts/forms/resource-forms.ts";
import { useDoubts } from "../../parts/forms/use-doubts.ts";
import { useNameChoices } from "../../parts/lists/use-name-choices.ts";
import { QuestionDoubts } from "../../parts/question-doubts.tsx";
import type { Question } from "./question.ts";

/** Properties of {@link QuestionForm}. */
interface QuestionFormProps {
  readonly typed: Question;
  readonly onChange: (question: Question) => void;
  readonly onAsk: () => void;
  readonly isBusy: boolean;
  readonly problems: Readonly<Record<keyof Question, string | undefined>>;
}

/** The labels User, Action and Resource, the context behind a fold, and the button Ask. */
export function QuestionForm({ typed, onChange, onAsk, isBusy, problems }: QuestionFormProps) {
  const { actions } = useSession();
  const users = useNameChoices(actions.has("auth:ListUsers") ? "GET /auth/users" : undefined, typed.user);
  const resources = useResourceForms(typed.action);
  const doubts = useDoubts(typed.action, typed.resource);
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
      <QuestionDoubts doubts={doubts} onTake={(part, text) => change({ [part]: text })} />
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
