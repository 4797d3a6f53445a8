/** Gains and losses of users by a change that was not made yet. */

import type {
  AccessChange,
  ConcernedAccessChange,
  PolicyCompareAnswer,
  PolicyCompareRequest,
} from "@svc-authorizer/contract/management-api.gen.ts";
import { useQuery } from "@tanstack/preact-query";
import { call } from "../../api/call.ts";
import { userPage } from "../links.ts";
import { Name } from "../name.tsx";
import { Alert } from "../states/alert.tsx";
import { Loading } from "../states/loading.tsx";
import { StatementName } from "./statement-name.tsx";

/** Shows what a change of a policy would give and take; it changes nothing. */
export function WhatChanges({ change }: { readonly change: PolicyCompareRequest }) {
  const { data, error, isFetching } = useQuery({
    queryKey: ["POST /auth/policies/compare", change],
    queryFn: ({ signal }) => call("POST /auth/policies/compare", { body: change }, signal),
    staleTime: 0,
  });
  return (
    <div class="what-changes" aria-live="polite" aria-busy={isFetching}>
      {isFetching && <Loading what="the comparison" />}
      {!isFetching && <Alert error={error} />}
      {!isFetching && data !== undefined && <Compared answer={data} />}
    </div>
  );
}

function Compared({ answer }: { readonly answer: PolicyCompareAnswer }) {
  const { users, gains, losses, alone, left_out: leftOut } = answer;
  const isHeld = users.affected > 0;
  return (
    <>
      <p>{summaryOf(answer)}</p>
      {isHeld && <p>{answer.summary}</p>}
      {isHeld ? (
        <>
          <Changes title="Gains" isGain changes={gains} />
          <Changes title="Losses" isGain={false} changes={losses} />
        </>
      ) : (
        <>
          <Changes title="A user with this policy alone would gain" isGain changes={alone.gains} />
          <Changes title="A user with this policy alone would lose" isGain={false} changes={alone.losses} />
        </>
      )}
      {leftOut.length > 0 && (
        <div class="warnings">
          <p>This is not the whole answer:</p>
          <ul>
            {leftOut.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

/** The numbers in a sentence. Where a bound was reached, they are those of the users who were compared. */
function summaryOf({ users, left_out: leftOut }: PolicyCompareAnswer): string {
  const { affected, compared, gaining, losing } = users;
  const isWhole = leftOut.length === 0;
  if (affected === 0) return isWhole ? "No user is affected." : "No affected user was found.";
  const applies = `It applies to ${isWhole ? "" : "at least "}${people(affected)}`;
  const found = `${number(gaining)} gain and ${number(losing)} lose something`;
  if (compared < affected) return `${applies}. Of ${people(compared)} who were compared, ${found}.`;
  if (gaining === 0 && losing === 0 && isWhole) return `${applies}, and nobody gains or loses anything.`;
  return `${applies}: ${found}.`;
}

function number(count: number): string {
  return count.toLocaleString("en");
}

function people(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "user" : "users"}`;
}

interface ChangesProps {
  readonly title: string;
  readonly isGain: boolean;
  readonly changes: readonly (AccessChange & Partial<ConcernedAccessChange>)[];
}

function Changes({ title, isGain, changes }: ChangesProps) {
  if (changes.length === 0) return null;
  return (
    <div class="changes">
      <h3>{title}</h3>
      <ul class="plain">
        {changes.map((change) => (
          <li key={JSON.stringify(change)}>
            <Change change={change} isGain={isGain} />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface ChangeProps {
  readonly change: ChangesProps["changes"][number];
  readonly isGain: boolean;
}

function Change({ change, isGain }: ChangeProps) {
  const { users, user, some = [], line, statement } = change;
  return (
    <>
      {users !== undefined && (
        <>
          <strong>{people(users)}</strong>
          {user !== undefined && users > 1 && ", such as "}
          {user !== undefined && users === 1 && ": "}
          {user !== undefined && <Name text={user} href={userPage(user)} />}{" "}
        </>
      )}
      {line.kind === "undecided" ? (
        `cannot be compared: ${line.why ?? "it takes too long"}`
      ) : (
        <>
          <span class={isGain ? "effect allow" : "effect deny"}>{isGain ? "may then" : "may no longer"}</span>{" "}
          <Area line={line} />
        </>
      )}
      {statement !== undefined && (
        <span class="quiet-text">
          {" "}
          by <StatementName {...statement} isInList />
        </span>
      )}
      <Details change={change} isGain={isGain} />
      {users !== undefined && some.length > 1 && <Others names={some} users={users} />}
    </>
  );
}

type Line = AccessChange["line"];

/** Actions on resources. */
function Area({ line }: { readonly line: Line }) {
  if (line.kind === "failure") return <>do everything that the policies allow, {line.why}</>;
  return (
    <>
      <code>{line.actions.join(", ")}</code>
      {line.kind === "list" ? (
        " on any resource, as lists ask it"
      ) : (
        <>
          {" "}
          on{" "}
          <bdi>
            <code>{line.resource}</code>
          </bdi>
        </>
      )}
    </>
  );
}

/** Exceptions, conditions and an example. */
function Details({ change, isGain }: ChangeProps) {
  const { line, action, resource, context, certain, before, after } = change;
  const { except, conditions, comparison, possible } = line;
  return (
    <ul class="plain quiet-text">
      {except.map((one) => (
        <li key={JSON.stringify(one)}>
          except <code>{one.actions.join(", ")}</code> on{" "}
          <bdi>
            <code>{one.resource}</code>
          </bdi>
          {one.condition !== undefined && ` where ${JSON.stringify(one.condition)} holds`}
        </li>
      ))}
      {conditions.map((one) => (
        <li key={JSON.stringify(one)}>where {JSON.stringify(one)} holds</li>
      ))}
      {comparison.kind === "incomparable" && (
        <li>cannot be compared: the other side has {JSON.stringify(comparison.other)}</li>
      )}
      {action !== undefined && (
        <li>
          {possible ? "Example" : "No known request; in form"}: <code>{action}</code>
          {resource !== undefined && (
            <>
              {" "}
              on{" "}
              <bdi>
                <code>{resource}</code>
              </bdi>
            </>
          )}
          {context !== undefined && ` with ${JSON.stringify(context)}`}
          {certain ? `: ${before}, then ${after}` : `: perhaps ${isGain ? "allowed" : "refused"}`}
        </li>
      )}
    </ul>
  );
}

/** The first of the users whom a change concerns. */
function Others({ names, users }: { readonly names: readonly string[]; readonly users: number }) {
  return (
    <details>
      <summary>{names.length < users ? `The first ${names.length} of them` : "All of them"}</summary>
      <p>
        {names.map((name, index) => (
          <span key={name}>
            {index > 0 && ", "}
            <Name text={name} href={userPage(name)} />
          </span>
        ))}
      </p>
    </details>
  );
}
