/** The users who may do an action on a resource; and the reverse, the actions of a user. */

import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { ACTION_NAMES } from "../../catalog/actions.ts";
import { Field } from "../../parts/forms/field.tsx";
import { useResourceForms } from "../../parts/forms/resource-forms.ts";
import { useDoubts } from "../../parts/forms/use-doubts.ts";
import { Page } from "../../parts/page.tsx";
import { QuestionDoubts } from "../../parts/question-doubts.tsx";
import { UsersWhoCan } from "./users-who-can.tsx";
import { WhatCan } from "./what-can.tsx";

/** The page. The address holds the question that was asked. */
export default function WhoCanPage() {
  const { query, route } = useLocation();
  const { action: askedAction = "", resource: askedResource = "" } = query;
  const [action, setAction] = useState(askedAction);
  const [resource, setResource] = useState(askedResource);
  useEffect(() => {
    setAction(askedAction);
    setResource(askedResource);
  }, [askedAction, askedResource]);
  const forms = useResourceForms(action);
  const doubts = useDoubts(action, resource);
  const isAsked = askedAction !== "" && askedResource !== "";
  return (
    <Page title="Who can" help="model">
      <form
        class="question"
        onSubmit={(event) => {
          event.preventDefault();
          const { of = "", on = "" } = query;
          const reverse = of === "" ? {} : { of, on };
          route(`/who-can?${new URLSearchParams({ action, resource, ...reverse })}`);
        }}
      >
        <div class="question-fields">
          <Field
            label="Action"
            value={action}
            onInput={setAction}
            choices={ACTION_NAMES}
            placeholder="fs:DeleteRepository"
            required
          />
          <Field
            label="Resource"
            value={resource}
            onInput={setResource}
            choices={forms}
            placeholder={forms[0] ?? ""}
            required
          />
          <button type="submit" class="primary">
            Ask
          </button>
        </div>
      </form>
      <QuestionDoubts
        doubts={doubts}
        onTake={(part, text) => (part === "action" ? setAction(text) : setResource(text))}
      />
      {isAsked && (
        <UsersWhoCan key={`${askedAction} ${askedResource}`} action={askedAction} resource={askedResource} />
      )}
      <WhatCan />
    </Page>
  );
}
