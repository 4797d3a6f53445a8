/** The same question, as if one policy had other statements. Nothing is saved. */

import { useState } from "preact/hooks";
import type { ApiError } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import { useAnswer } from "../../api/hooks.ts";
import type { CheckAnswer, GivenStatement, SimulateAnswer } from "../../api/management.gen.ts";
import { useMaySomewhere } from "../../api/permissions.ts";
import { Alert } from "../../parts/alert.tsx";
import { Section } from "../../parts/section.tsx";
import { type Question, requestOf } from "./question.ts";

interface Props {
  readonly question: Question;
  readonly answer: CheckAnswer;
}

/** Offers the deciding policies and the near misses for a try; only to those who may read policies. */
export function TryPolicy({ question, answer }: Props) {
  const mayRead = useMaySomewhere("auth:ReadPolicy");
  const { determining = [], near_misses: misses = [] } = answer.explanation ?? {};
  const names = [...new Set([...determining, ...misses].map(({ policy }) => policy))];
  const [chosen, setChosen] = useState<string>();
  if (!mayRead || names.length === 0) return null;
  return (
    <Section
      title="Try with an edited policy"
      about="Asks again as if a policy had other statements. Nothing is saved."
    >
      <p class="tools">
        {names.map((name) => (
          <button key={name} type="button" aria-pressed={name === chosen} onClick={() => setChosen(name)}>
            Edit <bdi>{name}</bdi>
          </button>
        ))}
      </p>
      {chosen !== undefined && <Edit key={chosen} name={chosen} question={question} />}
    </Section>
  );
}

function Edit({ name, question }: { readonly name: string; readonly question: Question }) {
  const policy = useAnswer("GET /auth/policies/{policyId}", { path: { policyId: name } });
  const [text, setText] = useState<string>();
  const [state, setState] = useState<{ readonly answer?: SimulateAnswer; readonly error?: unknown }>({});
  const [isBusy, setBusy] = useState(false);
  const shown = text ?? (policy.data && JSON.stringify(policy.data.statement, null, 2)) ?? "";
  const ask = async (): Promise<void> => {
    setBusy(true);
    setState(await simulated(name, shown, question));
    setBusy(false);
  };
  return (
    <form
      class="try"
      onSubmit={(event) => {
        event.preventDefault();
        void ask();
      }}
    >
      <Alert error={policy.error} />
      <div class="field">
        <label for="try-statements">Statements of {name}</label>
        <textarea
          id="try-statements"
          rows={12}
          spellcheck={false}
          value={shown}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <p class="tools">
        <button type="submit" disabled={isBusy || shown === ""}>
          Try
        </button>
      </p>
      <Alert error={state.error} />
      {state.answer !== undefined && "allowed" in state.answer && (
        <p role="status">
          With these statements: <Outcome allowed={state.answer.allowed} />.
        </p>
      )}
    </form>
  );
}

function Outcome({ allowed }: { readonly allowed: boolean }) {
  return <span class={allowed ? "effect allow" : "effect deny"}>{allowed ? "allowed" : "refused"}</span>;
}

async function simulated(
  name: string,
  text: string,
  question: Question,
): Promise<{ readonly answer?: SimulateAnswer; readonly error?: unknown }> {
  const { user, required, context } = requestOf(question);
  try {
    const statement = JSON.parse(text) as GivenStatement[];
    const candidate = { replace: [{ name, statement }] };
    const body = { user, required, candidate, ...(context === undefined ? {} : { context }) };
    return { answer: await call("POST /auth/simulate", { body }) };
  } catch (error) {
    return {
      error:
        error instanceof SyntaxError ? new Error(`This is not JSON: ${error.message}`) : (error as ApiError),
    };
  }
}
