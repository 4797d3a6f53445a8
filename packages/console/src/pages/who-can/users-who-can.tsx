/** The users who may do an action on a resource, page by page, each with the way in which they may. */

import type { WhoCanAnswer } from "@svc-authorizer/contract/management-api.gen.ts";
import { useState } from "preact/hooks";
import { useAnswer } from "../../api/hooks.ts";
import { userPage } from "../../parts/links.ts";
import { type Column, Table } from "../../parts/lists/table.tsx";
import { Name } from "../../parts/name.tsx";
import { StatementName } from "../../parts/policies/statement-name.tsx";
import { QuestionDoubts } from "../../parts/question-doubts.tsx";
import { ViaText } from "../../parts/reasons/via-text.tsx";
import { Section } from "../../parts/section.tsx";
import { Alert } from "../../parts/states/alert.tsx";
import { Loading } from "../../parts/states/loading.tsx";

type Row = WhoCanAnswer["results"][number];

const LIMIT = 100;
const COLUMNS: readonly Column<Row>[] = [
  { head: "User", kind: "main", cell: ({ user }) => <Name text={user} href={userPage(user)} /> },
  {
    head: "Policy",
    cell: ({ policy, statement, sid }) => <StatementName policy={policy} statement={statement} sid={sid} />,
  },
  { head: "Via", cell: ({ via }) => <ViaText via={via} /> },
];

/** Asks, and shows the users. */
export function UsersWhoCan({ action, resource }: { readonly action: string; readonly resource: string }) {
  const [tokens, setTokens] = useState<readonly string[]>([]);
  const token = tokens.at(-1);
  const page = { limit: LIMIT, ...(token === undefined ? {} : { token }) };
  const input = { body: { action, resource, page, explain: true } };
  const { data, error, isFetching } = useAnswer("POST /auth/who-can", input, { keepPrevious: true });
  return (
    <Section title="Users who may">
      <Alert error={error} />
      {data === undefined && error === null && <Loading what="the users" />}
      {data !== undefined && error === null && (
        <>
          <p role="status">{summary(data, tokens.length)}</p>
          <QuestionDoubts doubts={data.doubts ?? []} />
          <Table
            label="users who may"
            columns={COLUMNS}
            rows={data.results}
            keyOf={({ user }) => user}
            empty={
              data.doubts === undefined
                ? "Nobody may do this."
                : "No user: the question may be none, see above."
            }
          />
          {(tokens.length > 0 || data.page.next_token !== "") && (
            <nav class="pager" aria-label="Pages of users who may">
              <button
                type="button"
                disabled={tokens.length === 0 || isFetching}
                onClick={() => setTokens(tokens.slice(0, -1))}
              >
                Previous page
              </button>
              <button
                type="button"
                disabled={data.page.next_token === "" || isFetching}
                onClick={() => setTokens([...tokens, data.page.next_token])}
              >
                Next page
              </button>
            </nav>
          )}
        </>
      )}
    </Section>
  );
}

function summary({ page, results }: WhoCanAnswer, pagesBefore: number): string {
  if (page.total !== undefined) return page.total === 1 ? "1 user" : `${page.total} users`;
  const from = pagesBefore * LIMIT + 1;
  return results.length === 0 ? "No user" : `Users ${from} to ${from + results.length - 1}`;
}
