/** One mirror: its state, what it waits for, and its branches. */

import type { Mirror } from "@svc-authorizer/contract/management-api.gen.ts";
import { useState } from "preact/hooks";
import { useRoute } from "preact-iso";
import { useAnswer } from "../../api/hooks.ts";
import { useActionsOn, useMaySomewhere } from "../../api/permissions.ts";
import { DeleteButton } from "../../parts/dialogs/delete-button.tsx";
import { userPage } from "../../parts/links.ts";
import { Name } from "../../parts/name.tsx";
import { Page } from "../../parts/page.tsx";
import { Section } from "../../parts/section.tsx";
import { Alert } from "../../parts/states/alert.tsx";
import { Loading } from "../../parts/states/loading.tsx";
import { Time } from "../../parts/time.tsx";
import { EditBranches } from "./edit-branches.tsx";
import { MirrorHeads } from "./mirror-heads.tsx";
import { lagOf, MirrorState } from "./mirror-state.tsx";

const EVERY_MS = 10_000;
const refetchInterval = (): number => EVERY_MS;

/** The page of the mirror that the address names. It asks again every ten seconds. */
export default function MirrorPage() {
  const { source = "", id = "" } = useRoute().params;
  const path = { source_repo: source, mirror_id: id };
  const operation = "GET /service/replication/v1/repositories/{source_repo}/mirrors/{mirror_id}";
  const { data: mirror, error } = useAnswer(operation, { path }, { refetchInterval });
  return (
    <Page
      key={`${source}/${id}`}
      title={id}
      kind="Mirror"
      help="mirroring"
      actions={mirror && <Actions of={mirror} />}
    >
      <Alert error={error} />
      {mirror === undefined && error === null && <Loading what="the mirror" />}
      {mirror !== undefined && (
        <>
          <Figures of={mirror} />
          {mirror.reason !== "" && (
            <p class="warnings">
              <bdi>{mirror.reason}</bdi>
            </p>
          )}
          <Facts of={mirror} />
          <MirrorHeads of={mirror} />
        </>
      )}
    </Page>
  );
}

function Actions({ of: mirror }: { readonly of: Mirror }) {
  const [isEditing, setEditing] = useState(false);
  const mayEdit = useActionsOn("repository", mirror.source_repository)?.has("fs:MirrorRepository") === true;
  // On the mirror itself everything is denied but to this API.
  const mayDelete = useMaySomewhere("fs:DeleteRepository");
  return (
    <>
      {mayEdit && mirror.state !== "deleting" && (
        <button type="button" onClick={() => setEditing(true)}>
          Choose branches
        </button>
      )}
      {mayDelete && <DeleteMirror of={mirror} />}
      {isEditing && <EditBranches of={mirror} onClose={() => setEditing(false)} />}
    </>
  );
}

function DeleteMirror({ of: { id, source_repository, region, state } }: { readonly of: Mirror }) {
  const path = { source_repo: source_repository, mirror_id: id };
  const isWaiting = state === "deleting";
  return (
    <DeleteButton
      kind={isWaiting ? "record" : "mirror"}
      name={id}
      operation="DELETE /service/replication/v1/repositories/{source_repo}/mirrors/{mirror_id}"
      input={{ path, query: isWaiting ? { forget: true } : {} }}
      next="/mirrors"
    >
      {isWaiting ? (
        <p>
          The data server of <bdi>{region}</bdi> has not said yet that the repository is gone. Without the
          record nobody asks it any more, and whatever it still has stays there and can be written to: only
          for a region that is lost.
        </p>
      ) : (
        <p>
          Its repository at the data server of <bdi>{region}</bdi> goes, with all branches and commits. The
          source stays, and so does what the object store has.
        </p>
      )}
    </DeleteButton>
  );
}

function Figures({ of: mirror }: { readonly of: Mirror }) {
  const { progress } = mirror;
  const oldest = progress.oldest_pending_at;
  return (
    <dl class="figures">
      <div>
        <dt>State</dt>
        <dd>
          <MirrorState of={mirror} />
        </dd>
      </div>
      <div>
        <dt>Behind</dt>
        <dd>
          {lagOf(mirror)}
          <p class="quiet-text">since the oldest head was seen that the mirror does not show</p>
        </dd>
      </div>
      <div>
        <dt>Commits</dt>
        <dd>
          {numberOf(progress.commits_recorded)}
          <p class="quiet-text">
            {numberOf(progress.commits_pending)} wait for data
            {oldest !== null && (
              <>
                , the oldest since <Time at={oldest} />
              </>
            )}
          </p>
        </dd>
      </div>
      <div>
        <dt>Missing objects</dt>
        <dd>
          {numberOf(progress.objects_missing)}
          <p class="quiet-text">at least; {numberOf(progress.objects_gone_at_source)} the source lost, too</p>
        </dd>
      </div>
    </dl>
  );
}

function Facts({ of: mirror }: { readonly of: Mirror }) {
  return (
    <Section title="About">
      <dl class="facts">
        <dt>Repository</dt>
        <dd>
          <Name text={mirror.source_repository} />
        </dd>
        <dt>Region</dt>
        <dd>
          <Name text={mirror.region} />
        </dd>
        <dt>Storage namespace</dt>
        <dd>
          <Name text={mirror.storage_namespace} />
        </dd>
        <dt>Writes by others</dt>
        <dd>
          {mirror.write_protection === "enforced"
            ? "Refused: the data server asks this service"
            : "Refused unless forced: nothing says that the data server asks this service"}
        </dd>
        <dt>Objects outside the namespace</dt>
        <dd>{numberOf(mirror.progress.external_objects)}</dd>
        <dt>Created</dt>
        <dd>
          <Time at={mirror.created_at} /> by{" "}
          <Name text={mirror.created_by} href={userPage(mirror.created_by)} />
        </dd>
      </dl>
    </Section>
  );
}

function numberOf(count: number): string {
  return count.toLocaleString("en");
}
