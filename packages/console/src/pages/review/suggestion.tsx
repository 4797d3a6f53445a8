/** A smaller policy in place of those that a user or a group has. */

import type { SuggestedAccess } from "@svc-authorizer/contract/management-api.gen.ts";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useAnswer } from "../../api/hooks.ts";
import { useSession } from "../../frame/session.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { counted } from "../../parts/counted.ts";
import { Field } from "../../parts/forms/field.tsx";
import { useNameChoices } from "../../parts/lists/use-name-choices.ts";
import { Statements } from "../../parts/policies/statements.tsx";
import { Alert } from "../../parts/states/alert.tsx";
import { Loading } from "../../parts/states/loading.tsx";
import { Notes } from "../../parts/states/warnings.tsx";

type Generalise = SuggestedAccess["generalise"];

const CHOICES: readonly (readonly [Generalise, string])[] = [
  ["prefix", "to common prefixes"],
  ["repository", "to whole repositories"],
  ["none", "not at all"],
];

/** The permission that a list needs, and the list. */
const LISTS = {
  user: ["auth:ListUsers", "GET /auth/users"],
  group: ["auth:ListGroups", "GET /auth/groups"],
} as const;

/** The form, and what it found. Nothing is changed. */
export function Suggestion({ since }: { readonly since: string }) {
  const { query, route } = useLocation();
  const { user = "", group = "", to = "prefix" } = query;
  const [kind, setKind] = useState<"user" | "group">(group === "" ? "user" : "group");
  const [name, setName] = useState(user || group);
  const [generalise, setGeneralise] = useState<Generalise>(
    CHOICES.find(([value]) => value === to)?.[0] ?? "prefix",
  );
  const { actions } = useSession();
  const [action, list] = LISTS[kind];
  const names = useNameChoices(actions.has(action) ? list : undefined, name);
  const asked = user || group;
  const body = { [group === "" ? "user" : "group"]: asked, since, generalise: to as Generalise };
  const answer = useAnswer("POST /auth/access/suggest", { body }, { enabled: asked !== "", isHeavy: true });
  const ask = (): void => {
    const { days } = query;
    const period = days === undefined ? {} : { days };
    const next = new URLSearchParams({ ...period, [kind]: name, to: generalise }).toString();
    if (`?${next}` === location.search) void answer.refetch();
    else route(`/review?${next}`);
  };
  return (
    <>
      <form
        class="question"
        onSubmit={(event) => {
          event.preventDefault();
          ask();
        }}
      >
        <div class="question-fields">
          <div class="field">
            <label for="suggest-kind">For</label>
            <select
              id="suggest-kind"
              value={kind}
              onChange={(event) => setKind(event.currentTarget.value === "group" ? "group" : "user")}
            >
              <option value="user">a user</option>
              <option value="group">a group</option>
            </select>
          </div>
          <Field label="Name" value={name} onInput={setName} choices={names} required />
          <div class="field">
            <label for="suggest-generalise">Generalise resources</label>
            <select
              id="suggest-generalise"
              value={generalise}
              onChange={(event) => setGeneralise(event.currentTarget.value as Generalise)}
            >
              {CHOICES.map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
          </div>
          <button type="submit" disabled={answer.isFetching}>
            Suggest
          </button>
        </div>
      </form>
      <Alert error={answer.error} />
      {answer.isFetching && <Loading what="the suggestion" />}
      {!answer.isFetching && answer.data !== undefined && <Found suggestion={answer.data} />}
    </>
  );
}

function Found({ suggestion }: { readonly suggestion: SuggestedAccess }) {
  const { policies, before, after, decisions, requests, warnings } = suggestion;
  const [policy] = policies;
  return (
    <div class="answer" role="status">
      <p>
        {decisions.toLocaleString("en")} allowed decisions, {requests.toLocaleString("en")} different
        requests. {summaryOf(before)} today, {summaryOf(after)} suggested.
      </p>
      <Notes texts={warnings} />
      {policy === undefined ? (
        <p>Nothing was used, so no policy is needed.</p>
      ) : (
        <>
          <Statements of={policy.statement} most={20} />
          <p class="tools">
            <CopyButton text={JSON.stringify(policy, null, 2)} label="Copy the policy" />
          </p>
        </>
      )}
    </div>
  );
}

function summaryOf({ policies, statements }: SuggestedAccess["before"]): string {
  return `${counted(policies, "policy", "policies")} with ${counted(statements, "statement")}`;
}
