/** The answer to a question: allowed or refused, by which statements, or what came near to allow it. */

import type { CheckAnswer } from "@svc-authorizer/contract/management-api.gen.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Reasons } from "../../parts/reasons/reasons.tsx";
import { asCurl, asSvcctl, testCase } from "./copies.ts";
import type { Question } from "./question.ts";

/** Shows the answer with its reasons. */
export function AnswerView({
  question,
  answer,
}: {
  readonly question: Question;
  readonly answer: CheckAnswer;
}) {
  const { allowed, message, reason, explanation, id } = answer;
  const command = asSvcctl(question);
  return (
    <div class="answer">
      <div role="status" class={allowed ? "verdict allow" : "verdict deny"}>
        <strong>{allowed ? "Allowed" : "Refused"}</strong>{" "}
        <span>{sentence(question, answer, reason === "unknown_user")}</span>
      </div>
      {message !== undefined && (
        <p class="quiet-text">
          In the words of the API: <bdi>{message}</bdi>
        </p>
      )}
      {explanation !== undefined && <Reasons of={explanation} />}
      {explanation !== undefined && (
        <p class="quiet-text">
          Decision <code>{id}</code>, policy set <code>{explanation.policies_version.slice(0, 12)}</code>,
          policies from {explanation.cache === "hit" ? "the cache" : "the store"}
        </p>
      )}
      <p class="tools">
        <CopyButton text={testCase(question, answer)} label="Copy as test case" />
        <CopyButton text={asCurl(question)} label="Copy as curl" />
        {command === undefined ? (
          <span class="quiet-text">svcctl has no options for this context.</span>
        ) : (
          <CopyButton text={command} label="Copy as svcctl" />
        )}
      </p>
    </div>
  );
}

function sentence({ user, action, resource }: Question, { effect }: CheckAnswer, unknown: boolean) {
  return (
    <>
      <bdi>{user}</bdi> {effect === "allow" ? "may" : "may not"} do <code>{action}</code> on{" "}
      <bdi>{resource}</bdi>
      {unknown && ": there is no such user"}
      {!unknown && effect === "neutral" && ": no statement allows it"}
      {effect === "deny" && ": a statement denies it"}.
    </>
  );
}
