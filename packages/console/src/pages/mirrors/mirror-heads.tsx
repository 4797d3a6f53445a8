/** The branches of a mirror: what the source has, and what the mirror shows. */

import type { Mirror } from "@svc-authorizer/contract/management-api.gen.ts";
import { LocalList } from "../../parts/lists/local-list.tsx";
import { type Column, Table } from "../../parts/lists/table.tsx";
import { Name } from "../../parts/name.tsx";
import { Section } from "../../parts/section.tsx";
import { Time } from "../../parts/time.tsx";

type Head = Mirror["heads"][number];

/** Characters of a commit's id that people compare. */
const SHOWN = 12;

const COLUMNS: readonly Column<Head>[] = [
  { head: "Branch", kind: "main", cell: ({ branch }) => <Name text={branch} /> },
  { head: "Source", cell: ({ source }) => <Commit id={source} /> },
  {
    head: "Mirror",
    cell: ({ mirror }) =>
      mirror === null ? <span class="quiet-text">nothing yet</span> : <Commit id={mirror} />,
  },
  {
    head: "Behind since",
    cell: ({ since }) => (since === null ? <span class="effect allow">same</span> : <Time at={since} />),
  },
];

/** The section. */
export function MirrorHeads({ of: { heads, progress, branches } }: { readonly of: Mirror }) {
  const { include, exclude } = branches;
  return (
    <Section
      title="Branches"
      about={
        <bdi>
          {include.length === 0 ? "All branches" : `Branches ${include.join(", ")}`}
          {exclude.length > 0 && ` but not ${exclude.join(", ")}`}
        </bdi>
      }
    >
      <LocalList items={heads} what="branches" name="branches" textsOf={({ branch }) => [branch]}>
        {(shown) => (
          <Table
            label="branches"
            columns={COLUMNS}
            rows={shown}
            keyOf={({ branch }) => branch}
            empty={heads.length === 0 ? "No branch was seen yet." : ""}
          />
        )}
      </LocalList>
      {progress.branches > heads.length && (
        <p class="quiet-text">
          The first {heads.length.toLocaleString("en")} of {progress.branches.toLocaleString("en")} branches,
          those that wait first.
        </p>
      )}
    </Section>
  );
}

function Commit({ id }: { readonly id: string }) {
  return <code title={id}>{id.slice(0, SHOWN)}</code>;
}
