/** Administrators in effect: those who are, and those who can become it, by which steps. */

import type { AccessReview } from "@svc-authorizer/contract/management-api.gen.ts";
import { userPage } from "../../parts/links.ts";
import { LocalList } from "../../parts/lists/local-list.tsx";
import { Name } from "../../parts/name.tsx";
import { Accepted, acceptedOf } from "../../parts/policies/accepted.tsx";
import { StatementName } from "../../parts/policies/statement-name.tsx";

/** Lists them, with the steps of each. */
export function Administrators({ of: review }: { readonly of: AccessReview }) {
  const { administrators, undecided } = review;
  return (
    <>
      {administrators.length === 0 && <p>Nobody.</p>}
      <LocalList
        items={administrators}
        what="administrators"
        name="administrators"
        textsOf={({ user }) => [user]}
      >
        {(shown) => <Listed administrators={shown} accepted={review.accepted} />}
      </LocalList>
      {undecided.length > 0 && (
        <p class="warnings">
          The search for steps did not end in time for {undecided.length.toLocaleString("en")} users:{" "}
          <bdi>{undecided.slice(0, 10).join(", ")}</bdi>
          {undecided.length > 10 && " and more"}.
        </p>
      )}
    </>
  );
}

type Administrator = AccessReview["administrators"][number];

interface ListedProps {
  readonly administrators: readonly Administrator[];
  readonly accepted: AccessReview["accepted"];
}

function Listed({ administrators, accepted }: ListedProps) {
  return (
    <ul class="plain reasons">
      {administrators.map(({ user, steps }) => (
        <li key={user}>
          <Name text={user} href={userPage(user)} />{" "}
          {steps.length === 0 ? (
            <span class="quiet-text">is one</span>
          ) : (
            <span class="effect deny">can become one</span>
          )}
          {steps.length > 0 && (
            <ol>
              {steps.map((step, index) => (
                <li key={index}>
                  <code>{step.operation}</code> as <bdi>{step.as}</bdi>: {valuesOf(step.values)}; allowed by{" "}
                  {step.allowed_by.map((one, at) => (
                    <span key={`${one.policy} ${one.statement}`}>
                      {at > 0 && ", "}
                      <StatementName {...one} isInList />
                      <Accepted of={acceptedOf(accepted, one)} />
                    </span>
                  ))}
                </li>
              ))}
            </ol>
          )}
        </li>
      ))}
    </ul>
  );
}

function valuesOf(values: Readonly<Record<string, string>>) {
  return Object.entries(values).map(([name, value], index) => (
    <span key={name}>
      {index > 0 && ", "}
      {name} <bdi>{value}</bdi>
    </span>
  ));
}
