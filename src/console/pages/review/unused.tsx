/** Access that nobody used in a period, by kind. */

import type { ComponentChildren } from "preact";
import { useAnswer } from "../../api/hooks.ts";
import { Alert } from "../../parts/alert.tsx";
import { groupPage, policyPage, userPage } from "../../parts/links.ts";
import { Loading } from "../../parts/loading.tsx";
import { Name } from "../../parts/name.tsx";
import { StatementName, type StatementNameProps } from "../../parts/statement-name.tsx";
import { LastUsed } from "../../parts/time.tsx";
import { Notes } from "../../parts/warnings.tsx";

/** Most entries of a kind that are shown. */
const MOST_SHOWN = 50;

/** Asks, and shows each kind behind a fold with its number. */
export function Unused({ since }: { readonly since: string }) {
  const { data, error } = useAnswer("GET /auth/access/unused", { query: { since } });
  if (error !== null) return <Alert error={error} />;
  if (data === undefined) return <Loading what="unused access" />;
  return (
    <>
      <Notes texts={data.warnings} />
      <Kind title="Users" rows={data.users}>
        {(one) => [<Name text={one.id} href={userPage(one.id)} />, one.last_used]}
      </Kind>
      <Kind title="Access keys" rows={data.keys}>
        {(one) => [
          <>
            <code>{one.access_key_id}</code> of <Name text={one.user} href={userPage(one.user)} />
          </>,
          one.last_used,
        ]}
      </Kind>
      <Kind title="Groups" rows={data.groups}>
        {(one) => [
          <>
            <Name text={one.id} href={groupPage(one.id)} /> with {one.members} members
          </>,
          one.last_used,
        ]}
      </Kind>
      <Kind title="Policies" rows={data.policies}>
        {(one) => [
          <>
            <Name text={one.id} href={policyPage(one.id)} />, attached {one.attached} times
          </>,
          one.last_used,
        ]}
      </Kind>
      <Kind title="Statements" rows={data.statements}>
        {(one) => [statementOf(one), one.last_used]}
      </Kind>
      <Kind title="Actions" rows={data.actions}>
        {(one) => [
          <>
            {statementOf(one)}: <code>{one.unused.join(", ")}</code>
          </>,
          undefined,
        ]}
      </Kind>
    </>
  );
}

function statementOf({ policy, statement, sid }: StatementNameProps) {
  return <StatementName policy={policy} statement={statement} sid={sid} isInList />;
}

interface KindProps<Row> {
  readonly title: string;
  readonly rows: readonly Row[];
  /** Shows a row; also returns its last use. */
  readonly children: (row: Row) => readonly [ComponentChildren, number | undefined];
}

function Kind<Row>({ title, rows, children }: KindProps<Row>) {
  return (
    <details>
      <summary>
        {title}: {rows.length === 0 ? "none" : rows.length.toLocaleString("en")}
      </summary>
      <ul class="plain reasons">
        {rows.slice(0, MOST_SHOWN).map((row, index) => {
          const [what, lastUsed] = children(row);
          return (
            <li key={index}>
              {what}{" "}
              <span class="quiet-text">
                last used: <LastUsed at={lastUsed} />
              </span>
            </li>
          );
        })}
        {rows.length > MOST_SHOWN && <li class="quiet-text">The export has the others.</li>}
      </ul>
    </details>
  );
}
