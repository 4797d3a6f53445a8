/** The reverse question: what a user may do on a resource. */

import type { QuestionDoubt } from "@svc-authorizer/contract/management-api.gen.ts";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useAnswer } from "../../api/hooks.ts";
import { meaningOf } from "../../catalog/actions.ts";
import { useSession } from "../../frame/session.tsx";
import { Field } from "../../parts/forms/field.tsx";
import { useResourceForms } from "../../parts/forms/resource-forms.ts";
import { useDoubts } from "../../parts/forms/use-doubts.ts";
import { useNameChoices } from "../../parts/lists/use-name-choices.ts";
import { QuestionDoubts } from "../../parts/question-doubts.tsx";
import { Section } from "../../parts/section.tsx";
import { Alert } from "../../parts/states/alert.tsx";
import { Loading } from "../../parts/states/loading.tsx";

const LIMIT = 1_000;

/** Its labels differ from those of the first question, so that each names one control of the page. */
export function WhatCan() {
  const { query, route } = useLocation();
  const session = useSession();
  const { of = "", on = "" } = query;
  const [user, setUser] = useState(of === "" ? session.user : of);
  const [resource, setResource] = useState(on);
  const users = useNameChoices(session.actions.has("auth:ListUsers") ? "GET /auth/users" : undefined, user);
  const forms = useResourceForms("");
  const doubts = useDoubts("", resource);
  const show = (): void => {
    const next = new URLSearchParams(query);
    next.set("of", user);
    next.set("on", resource);
    route(`/who-can?${next}`);
  };
  return (
    <Section title="What a user can do" about="The reverse: all actions that a user may do on a resource.">
      <form
        class="question"
        onSubmit={(event) => {
          event.preventDefault();
          show();
        }}
      >
        <div class="question-fields">
          <Field label="By user" value={user} onInput={setUser} choices={users} required />
          <Field
            label="On resource"
            value={resource}
            onInput={setResource}
            choices={forms}
            placeholder={`arn:${session.partition}:fs:::repository/example`}
            required
          />
          <button type="submit">Show actions</button>
        </div>
      </form>
      <QuestionDoubts
        doubts={doubts}
        label="Doubts about the resource"
        onTake={(_, text) => setResource(text)}
      />
      {of !== "" && on !== "" && <Actions user={of} resource={on} />}
    </Section>
  );
}

function Actions({ user, resource }: { readonly user: string; readonly resource: string }) {
  const body = { user, resource, page: { limit: LIMIT } };
  const { data, error } = useAnswer("POST /auth/what-can", { body });
  const { data: judged } = useAnswer("POST /auth/question", { body: { resource } });
  if (error !== null) return <Alert error={error} />;
  if (data === undefined) return <Loading what="the actions" />;
  if (data.results.length === 0) {
    return <p role="status">{nothingText(data.reason === "unknown_user", judged?.doubts)}</p>;
  }
  const { next_token, total } = data.page;
  return (
    <>
      {next_token !== "" && (
        <p role="status">
          {`The first ${data.results.length.toLocaleString("en")}${total === undefined ? "" : ` of ${total.toLocaleString("en")}`} actions; the others are not shown.`}
        </p>
      )}
      <ul class="plain reasons" aria-label="Actions">
        {data.results.map((action) => (
          <li key={action}>
            <code>{action}</code> <span class="quiet-text">{meaningOf(action)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The reason for which there are no actions; doubts are undefined until they are known. */
function nothingText(isUnknown: boolean, doubts: readonly QuestionDoubt[] | undefined): string {
  if (isUnknown) return "There is no such user.";
  if (doubts === undefined) return "No action is allowed on this text.";
  return doubts.length === 0
    ? "Nothing: no action is allowed."
    : "No action: the question may be none, see above.";
}
