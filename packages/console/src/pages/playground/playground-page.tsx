/** "Can … do … on …?": a question about a user, and why the answer is what it is. */

import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { problemAt } from "../../api/api-error.ts";
import { useAnswer } from "../../api/hooks.ts";
import { useSession } from "../../frame/session.tsx";
import { Page } from "../../parts/page.tsx";
import { Alert } from "../../parts/states/alert.tsx";
import { Loading } from "../../parts/states/loading.tsx";
import { AnswerView } from "./answer-view.tsx";
import { contextOf, isWhole, type Question, queryOf, questionIn, requestOf } from "./question.ts";
import { QuestionForm } from "./question-form.tsx";
import { TryPolicy } from "./try-policy.tsx";

const FIELDS = ["/user", "/required/action", "/required/resource", "/context"] as const;

/** The page. The address holds the question that was asked. */
export default function PlaygroundPage() {
  const { query, route } = useLocation();
  const session = useSession();
  const asked = questionIn(query);
  const [typed, setTyped] = useState<Question>({ ...asked, user: asked.user || session.user });
  const address = queryOf(asked);
  useEffect(() => {
    if (isWhole(asked)) setTyped(asked);
  }, [address]);
  const readable = contextOf(typed.context);
  const contextProblem = "problem" in readable ? readable.problem : undefined;
  const enabled = isWhole(asked) && "context" in contextOf(asked.context);
  const body = requestOf(asked);
  const answer = useAnswer("POST /auth/check", { body }, { enabled });
  const ask = (): void => {
    if (contextProblem !== undefined) return;
    const next = queryOf(typed);
    if (next === address) void answer.refetch();
    else route(`/playground?${next}`);
  };
  return (
    <Page title="Playground" help="model">
      <p class="about">Can … do … on …? The answer comes with the statements that decide.</p>
      <QuestionForm
        typed={typed}
        onChange={setTyped}
        onAsk={ask}
        isBusy={answer.isFetching}
        problems={{
          user: problemAt(answer.error, FIELDS[0]),
          action: problemAt(answer.error, FIELDS[1]),
          resource: problemAt(answer.error, FIELDS[2]),
          context: contextProblem ?? problemAt(answer.error, FIELDS[3]),
        }}
      />
      <Alert error={answer.error} shown={FIELDS} />
      {enabled && answer.data === undefined && answer.error === null && <Loading what="the answer" />}
      {answer.data !== undefined && answer.error === null && (
        <>
          <AnswerView question={asked} answer={answer.data} />
          <TryPolicy key={address} question={asked} answer={answer.data} />
        </>
      )}
    </Page>
  );
}
