/** The answer to a question: allowed or refused, by which statements, or what came near to allow it. */

import type { CheckAnswer, Explanation, Via } from "../../api/management.gen.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { policyPage } from "../../parts/links.ts";
import { Name } from "../../parts/name.tsx";
import { Section } from "../../parts/section.tsx";
import { ViaText } from "../../parts/via-text.tsx";
import { ConditionTests } from "./condition-tests.tsx";
import { asCurl, asSvcctl, testCase } from "./copies.ts";
import { EffectTreeView } from "./effect-tree-view.tsx";
import type { Question } from "./question.ts";

/** Shows the answer with its reasons. */
export function AnswerView({
  question,
  answer,
}: {
  readonly question: Question;
  readonly answer: CheckAnswer;
}) {
  const { allowed, effect, message, reason, explanation, id } = answer;
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
      {explanation !== undefined && <Deciding explanation={explanation} />}
      {explanation !== undefined && effect === "neutral" && <NearMisses explanation={explanation} />}
      {explanation !== undefined && (
        <details>
          <summary>Evaluation</summary>
          <EffectTreeView tree={explanation.tree} />
          <p class="quiet-text">
            Decision <code>{id}</code>, policy set <code>{explanation.policies_version.slice(0, 12)}</code>,
            policies from {explanation.cache === "hit" ? "the cache" : "the store"}
          </p>
        </details>
      )}
      <p class="tools">
        <CopyButton text={testCase(question, answer)} label="Copy as test case" />
        <CopyButton text={asCurl(question)} label="Copy as curl" />
        <CopyButton text={asSvcctl(question)} label="Copy as svcctl" />
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

function Deciding({ explanation: { determining } }: { readonly explanation: Explanation }) {
  if (determining.length === 0) return null;
  return (
    <Section title={determining.length === 1 ? "The deciding statement" : "The deciding statements"}>
      <ul class="plain reasons">
        {determining.map(({ policy, statement, sid, effect, action, resource, conditions, via }) => (
          <li key={`${policy} ${statement}`}>
            <StatementName policy={policy} statement={statement} sid={sid} /> <Reaches via={via} />
            <p>
              <span class={effect === "allow" ? "effect allow" : "effect deny"}>{effect}</span>{" "}
              <code>{action}</code> on <code>{resource}</code>
            </p>
            <ConditionTests of={conditions ?? []} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function NearMisses({ explanation: { near_misses: misses } }: { readonly explanation: Explanation }) {
  if (misses.length === 0) return <p>No statement of the user's policies comes near.</p>;
  return (
    <Section title="Near misses" about="Statements that would allow it, but for one part.">
      <ul class="plain reasons">
        {misses.map(({ policy, statement, sid, why, detail, conditions }) => (
          <li key={`${policy} ${statement}`}>
            <StatementName policy={policy} statement={statement} sid={sid} />
            <p>
              The {why} does not match: <bdi>{detail}</bdi>
            </p>
            <ConditionTests of={conditions ?? []} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function StatementName(props: {
  readonly policy: string;
  readonly statement: number;
  readonly sid?: string | undefined;
}) {
  const { policy, statement, sid } = props;
  return (
    <>
      <Name text={policy} href={policyPage(policy)} />, statement {statement + 1}
      {sid !== undefined && (
        <>
          {" "}
          (<bdi>{sid}</bdi>)
        </>
      )}
    </>
  );
}

function Reaches({ via }: { readonly via: readonly Via[] }) {
  return via.length === 0 ? null : (
    <span class="quiet-text">
      <ViaText via={via} />
    </span>
  );
}
