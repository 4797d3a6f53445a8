/** The same question, as if one policy had other statements, or one more were held. Nothing is saved. */

import type {
  CheckAnswer,
  GivenStatement,
  SimulateAnswer,
} from "@svc-authorizer/contract/management-api.gen.ts";
import { useState } from "preact/hooks";
import type { Input } from "../../api/call.ts";
import { useAnswer, useAsk } from "../../api/hooks.ts";
import { useMaySomewhere } from "../../api/permissions.ts";
import { readJson } from "../../parts/forms/read-json.ts";
import { Section } from "../../parts/section.tsx";
import { Alert } from "../../parts/states/alert.tsx";
import { Loading } from "../../parts/states/loading.tsx";
import { type Question, requestOf } from "./question.ts";

interface Props {
  readonly question: Question;
  readonly answer: CheckAnswer;
}

/** The name under which a policy is tried that does not exist. */
const ANOTHER = "another policy";

/** Offers the deciding policies, the near misses and a new policy for a try; only to those who may read policies. */
export function TryPolicy({ question, answer }: Props) {
  const mayRead = useMaySomewhere("auth:ReadPolicy");
  const { determining = [], near_misses: misses = [] } = answer.explanation ?? {};
  const names = [...new Set([...determining, ...misses].map(({ policy }) => policy))];
  const [chosen, setChosen] = useState<string>();
  const [isNew, setNew] = useState(false);
  // Nobody holds a policy who does not exist.
  if (!mayRead || answer.reason === "unknown_user") return null;
  const choose = (name: string | undefined): void => {
    setChosen(name);
    setNew(name === undefined);
  };
  return (
    <Section
      title="Try with an edited policy"
      about="Asks again as if a policy had other statements, or the user held one more. Nothing is saved."
    >
      <p class="tools">
        {names.map((name) => (
          <button key={name} type="button" aria-pressed={name === chosen} onClick={() => choose(name)}>
            Edit <bdi>{name}</bdi>
          </button>
        ))}
        <button type="button" aria-pressed={isNew} onClick={() => choose(undefined)}>
          Add a policy
        </button>
      </p>
      {chosen !== undefined && <Edit key={chosen} name={chosen} question={question} />}
      {isNew && <Try name={ANOTHER} initial={allowing(question)} question={question} />}
    </Section>
  );
}

/** The statement that allows what was asked, as a beginning. */
function allowing({ action, resource }: Question): string {
  return JSON.stringify([{ effect: "allow", action: [action], resource }], null, 2);
}

function Edit({ name, question }: { readonly name: string; readonly question: Question }) {
  const { data, error } = useAnswer("GET /auth/policies/{policyId}", { path: { policyId: name } });
  if (data === undefined) return error === null ? <Loading what="the policy" /> : <Alert error={error} />;
  return <Try name={name} initial={JSON.stringify(data.statement, null, 2)} question={question} />;
}

interface TryProps {
  readonly name: string;
  readonly initial: string;
  readonly question: Question;
}

function Try({ name, initial, question }: TryProps) {
  const [text, setText] = useState(initial);
  const [state, setState] = useState<{ readonly answer?: SimulateAnswer; readonly error?: unknown }>({});
  const [isBusy, setBusy] = useState(false);
  const simulate = useAsk("POST /auth/simulate");
  const ask = async (): Promise<void> => {
    setBusy(true);
    try {
      setState({ answer: await simulate(inputOf(name, text, question)) });
    } catch (error) {
      setState({ error });
    }
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
      <div class="field">
        <label for="try-statements">
          Statements of <bdi>{name}</bdi>
        </label>
        <textarea
          id="try-statements"
          rows={Math.min(20, text.split("\n").length + 1)}
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <p class="tools">
        <button type="submit" disabled={isBusy || text.trim() === ""}>
          Try with this edited policy
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

/** Throws where the text is not JSON. */
function inputOf(name: string, text: string, question: Question): Input<"POST /auth/simulate"> {
  const { user, required, context } = requestOf(question);
  const candidate = { replace: [{ name, statement: statementsIn(text) }] };
  return { body: { user, required, candidate, ...(context === undefined ? {} : { context }) } };
}

function statementsIn(text: string): GivenStatement[] {
  return readJson(text, "This is not JSON") as GivenStatement[];
}
