/** The versions of a policy. */

import type { Policy, PolicyVersion } from "@svc-authorizer/contract/management-api.gen.ts";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useAnswer, useChange } from "../../api/hooks.ts";
import { CodeEditor } from "../../parts/code-editor/code-editor.tsx";
import { Dialog } from "../../parts/dialogs/dialog.tsx";
import { AMOUNT, Pager } from "../../parts/lists/pager.tsx";
import { type Column, Table } from "../../parts/lists/table.tsx";
import { useListState } from "../../parts/lists/use-list-state.ts";
import { WhatChanges } from "../../parts/policies/what-changes.tsx";
import { Section } from "../../parts/section.tsx";
import { Alert } from "../../parts/states/alert.tsx";
import { Loading } from "../../parts/states/loading.tsx";
import { Time } from "../../parts/time.tsx";
import { textOf } from "./policy-text.ts";

/** Properties of {@link Versions}. */
interface VersionsProps {
  readonly policy: Policy;
  readonly mayRestore: boolean;
}

/** Lists the versions, shows what each was, and restores one. */
export function Versions({ policy, mayRestore }: VersionsProps) {
  const { query, route } = useLocation();
  const choose = (revision: number): void => {
    const next = new URLSearchParams({ ...query, version: String(revision) });
    route(`${location.pathname}?${next}`, true);
  };
  const state = useListState("versions");
  const input = { path: { policyId: policy.id }, query: { amount: AMOUNT, after: state.after } };
  const { data, error, isFetching } = useAnswer("GET /auth/policies/{policyId}/versions", input, {
    keepPrevious: true,
  });
  const versions = data?.results ?? [];
  const present = textOf({ statement: policy.statement });
  const isPresent = ({ statement }: PolicyVersion): boolean =>
    statement !== undefined && textOf({ statement }) === present;
  const asked = versions.find(({ revision }) => String(revision) === query["version"]);
  // The version before the present one is the one that people look for.
  const chosen = asked ?? versions.find((version) => version.statement !== undefined && !isPresent(version));
  const columns: readonly Column<PolicyVersion>[] = [
    {
      head: "Revision",
      cell: (version) => (
        <label class="check">
          <input
            type="radio"
            name="version"
            disabled={version.statement === undefined}
            checked={version.revision === chosen?.revision}
            onChange={() => choose(version.revision)}
          />
          {version.revision}
        </label>
      ),
    },
    { head: "When", cell: ({ at }) => <Time at={at} /> },
    { head: "By", kind: "main", cell: ({ actors }) => <bdi class="name">{byWhom(actors)}</bdi> },
    {
      head: "State",
      cell: (version) => (version.removed ? "deleted" : isPresent(version) ? "as it is now" : ""),
    },
  ];
  return (
    <Section title="Versions" about="Choose one to see how it differs from the policy as it is now.">
      <Alert error={error} />
      {data === undefined && error === null && <Loading what="the versions" />}
      {data !== undefined && (
        <Table
          label="versions"
          columns={columns}
          rows={versions}
          keyOf={({ revision }) => String(revision)}
          empty={
            data.pagination.has_more
              ? "No version was found here: the next page goes on."
              : state.after === ""
                ? "The log has no version of this policy any more."
                : "The log has no older version."
          }
        />
      )}
      {data !== undefined && (data.pagination.has_more || state.after !== "") && (
        <Pager what="versions" state={state} next={data.pagination.next_offset} isBusy={isFetching} />
      )}
      {chosen?.statement !== undefined && !isPresent(chosen) && (
        <Chosen key={chosen.revision} policy={policy} version={chosen} mayRestore={mayRestore} />
      )}
    </Section>
  );
}

function byWhom(actors: readonly string[]): string {
  return actors.length === 0 ? "the service itself" : actors.join(", ");
}

interface ChosenProps extends VersionsProps {
  readonly version: PolicyVersion;
}

/** A version and its difference from the present one. Restoring makes a new version, so that it can be undone. */
function Chosen({ policy, version, mayRestore }: ChosenProps) {
  const { revision, statement = [] } = version;
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <p class="about below">Revision {revision}, compared with the policy as it is now:</p>
      <CodeEditor
        label={`Revision ${revision}`}
        value={textOf({ statement })}
        original={textOf({ statement: policy.statement })}
      />
      {mayRestore && (
        <p class="buttons start">
          <button type="button" onClick={() => setAsking(true)}>
            Restore
          </button>
        </p>
      )}
      {isAsking && <RestoreDialog {...{ policy, version }} onClose={() => setAsking(false)} />}
    </>
  );
}

interface RestoreDialogProps {
  readonly policy: Policy;
  readonly version: PolicyVersion;
  readonly onClose: () => void;
}

/** Shows who would gain and lose what, then restores. */
function RestoreDialog({ policy, version, onClose }: RestoreDialogProps) {
  const { revision, position, statement = [] } = version;
  const restoration = useChange("POST /auth/policies/{policyId}/restore");
  return (
    <Dialog title={`Restore revision ${revision}?`} onClose={onClose}>
      <p class="consequences">
        Policy <bdi>{policy.id}</bdi> becomes what it was. The present version stays in the list and can be
        restored as well.
      </p>
      <WhatChanges change={{ name: policy.id, document: { statement } }} />
      <Alert error={restoration.error} />
      <p class="buttons">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="primary"
          disabled={restoration.isPending}
          onClick={() =>
            restoration.mutate({ path: { policyId: policy.id }, body: { position } }, { onSuccess: onClose })
          }
        >
          Restore
        </button>
      </p>
    </Dialog>
  );
}
