/** The history of a user, a group or a policy. */

import type { HistoryEntry } from "@svc-authorizer/contract/management-api.gen.ts";
import { useAnswer } from "../api/hooks.ts";
import { ListTable } from "./lists/list-table.tsx";
import type { Column } from "./lists/table.tsx";
import { Section } from "./section.tsx";
import { Alert } from "./states/alert.tsx";
import { Time } from "./time.tsx";

const COLUMNS: readonly Column<HistoryEntry>[] = [
  { head: "When", cell: ({ at }) => <Time at={at} /> },
  {
    head: "By",
    kind: "main",
    cell: ({ actors }) =>
      actors.length === 0 ? (
        <span class="quiet-text">the service itself</span>
      ) : (
        <bdi class="name">{actors.join(", ")}</bdi>
      ),
  },
  { head: "Also changed", cell: ({ touched }) => touched.join(", ") },
  { head: "Revision", cell: ({ revision }) => revision },
];

/** Lists the changes, newest first. `about` is `user:`, `group:` or `policy:` and the name. */
export function History({ about }: { readonly about: string }) {
  const { error } = useAnswer("GET /auth/history", { query: { about, amount: 20 } });
  return (
    <Section title="History">
      {error === null ? (
        <ListTable
          operation="GET /auth/history"
          input={{ query: { about } }}
          what="changes"
          name="history"
          amount={20}
          isSearchable={false}
          columns={COLUMNS}
          keyOf={({ revision }) => String(revision)}
          empty="The log has no entry about this any more."
        />
      ) : (
        <Alert error={error} />
      )}
    </Section>
  );
}
