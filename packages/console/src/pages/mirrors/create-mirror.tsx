/** The dialog that creates a mirror. */

import { useLocation } from "preact-iso";
import { problemAt } from "../../api/api-error.ts";
import { useChange } from "../../api/hooks.ts";
import { useSession } from "../../frame/session.tsx";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { Field } from "../../parts/forms/field.tsx";
import { useDraft } from "../../parts/forms/use-draft.ts";
import { mirrorPage } from "../../parts/links.ts";

/** Asks for the repository, the region and where the data is; afterwards it leads to the page of the mirror. */
export function CreateMirror({ onClose }: { readonly onClose: () => void }) {
  const { route } = useLocation();
  const { mirrorRegions } = useSession();
  const [source, setSource] = useDraft("create-mirror-source");
  const [name, setName] = useDraft("create-mirror");
  const [region, setRegion] = useDraft("create-mirror-region", mirrorRegions[0]);
  const [namespace, setNamespace] = useDraft("create-mirror-namespace");
  const creation = useChange("POST /service/replication/v1/repositories/{source_repo}/mirrors");
  const submit = (): void => {
    const body = { name, region, storage_namespace: namespace };
    creation.mutate(
      { path: { source_repo: source }, body },
      {
        onSuccess: ({ answer }) => {
          for (const forget of [setSource, setName, setRegion, setNamespace]) forget("");
          onClose();
          route(mirrorPage(answer.source_repository, answer.id));
        },
      },
    );
  };
  return (
    <FormDialog
      title="New mirror"
      change={creation}
      shown={["/name", "/region", "/storage_namespace"]}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label="Repository"
        value={source}
        onInput={setSource}
        hint="The repository that is mirrored."
        required
        autoFocus
      />
      <Field
        label="Name of the mirror"
        value={name}
        onInput={setName}
        required
        problem={problemAt(creation.error, "/name")}
      />
      <Field
        label="Region"
        value={region}
        onInput={setRegion}
        choices={mirrorRegions}
        required
        problem={problemAt(creation.error, "/region")}
      />
      <Field
        label="Storage namespace"
        value={namespace}
        onInput={setNamespace}
        hint="Where the object store replicates the repository's namespace to, such as s3://bucket/path."
        required
        problem={problemAt(creation.error, "/storage_namespace")}
      />
    </FormDialog>
  );
}
