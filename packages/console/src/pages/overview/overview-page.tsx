/** The state of the service at a glance. */

import type { Status } from "@svc-authorizer/contract/management-api.gen.ts";
import { useAnswer } from "../../api/hooks.ts";
import { useSession } from "../../frame/session.tsx";
import { Page } from "../../parts/page.tsx";
import { Section } from "../../parts/section.tsx";
import { Alert } from "../../parts/states/alert.tsx";
import { Loading } from "../../parts/states/loading.tsx";
import { Time } from "../../parts/time.tsx";
import { Changes } from "./changes.tsx";
import { DecisionsChart } from "./decisions-chart.tsx";
import { RefusalsByPolicy } from "./refusals-by-policy.tsx";
import { StatusWarnings } from "./status-warnings.tsx";

const EVERY_MS = 10_000;
/** As long as the service looks for warnings and reads its records, just after its start. */
const SOON_MS = 1_000;

/** The page. It asks again every ten seconds. */
export default function OverviewPage() {
  const { hasDecisionLog } = useSession();
  const isKnown = (status: Status | undefined): boolean =>
    status?.warnings !== undefined && (!hasDecisionLog || status.refusals_by_policy !== undefined);
  const refetchInterval = (status: Status | undefined): number => (isKnown(status) ? EVERY_MS : SOON_MS);
  const { data, error } = useAnswer("GET /auth/status", {}, { refetchInterval });
  return (
    <Page title="Overview" help="operations">
      <Alert error={error} />
      {data === undefined && error === null && <Loading what="the state of the service" />}
      {data !== undefined && !isWhole(data) && (
        <dl class="figures">
          <Readiness of={data} />
        </dl>
      )}
      {data !== undefined && isWhole(data) && (
        <>
          <Health of={data} />
          <Section title="Decisions">
            <DecisionsChart minutes={data.decisions.minutes} />
          </Section>
          {hasDecisionLog && (
            <Section title="Refusals by policy" about="Of the newest records.">
              {data.refusals_by_policy === undefined ? (
                <p>Not known yet: the records of decisions are still being read.</p>
              ) : (
                <RefusalsByPolicy of={data.refusals_by_policy} />
              )}
            </Section>
          )}
          <StatusWarnings of={data.warnings} />
          <Section title="What changed lately">
            <Changes of={data.changes} />
          </Section>
        </>
      )}
    </Page>
  );
}

/** The state of a node that may answer from its copy; of one that may not, only readiness is known. */
type WholeStatus = Status &
  Required<Pick<Status, "node" | "version" | "started_at" | "revision" | "decisions" | "changes">>;

function isWhole(status: Status): status is WholeStatus {
  return status.revision !== undefined;
}

function Readiness({ of: status }: { readonly of: Status }) {
  const { ready, reasons, database } = status;
  const others = reasons.filter((reason) => reason !== database?.message);
  return (
    <div>
      <dt>Health</dt>
      <dd>
        <span class={ready && database === undefined ? "effect allow" : "effect deny"}>
          {readinessInWords(status)}
        </span>
        {database !== undefined && <p class="problem">{database.message}</p>}
        {others.length > 0 && <p class="problem">{others.join("; ")}</p>}
      </dd>
    </div>
  );
}

function Health({ of: status }: { readonly of: WholeStatus }) {
  const { node, version, revision, started_at, decisions } = status;
  const { staleness_ms: stale, lag_ms: lag } = status;
  return (
    <dl class="figures">
      <Readiness of={status} />
      <div>
        <dt>Node</dt>
        <dd>
          <bdi>{node}</bdi>
          <p class="quiet-text">
            version {version}, started <Time at={started_at} />
          </p>
        </dd>
      </div>
      <div>
        <dt>Revision of the directory</dt>
        <dd>
          {revision.toLocaleString("en")}
          {stale !== undefined && (
            <p class="quiet-text">known to be the newest {stale.toLocaleString("en")} ms ago</p>
          )}
        </dd>
      </div>
      <div>
        <dt>Lag</dt>
        <dd>
          {lag !== undefined
            ? `${lag.toLocaleString("en")} ms`
            : stale === undefined
              ? "Single node"
              : "none"}
          <p class="quiet-text">{lagInWords(status)}</p>
        </dd>
      </div>
      <div>
        <dt>Decisions per second</dt>
        <dd>
          {rateOf(decisions.per_second)}
          <p class="quiet-text">in the last minute or two</p>
          {decisions.unanswered !== undefined && (
            <p class="problem">{`${decisions.unanswered} of the processes did not report`}</p>
          )}
        </dd>
      </div>
    </dl>
  );
}

function readinessInWords({ ready, database }: Status): string {
  if (!ready) return "Not ready";
  return database === undefined ? "Ready" : "Trouble with the database";
}

function lagInWords({ lag_ms: lag, staleness_ms: stale }: Status): string {
  if (lag !== undefined) return "from another node to this one";
  return stale === undefined ? "no other node to follow" : "no other node has written yet";
}

function rateOf(perSecond: number): string {
  return perSecond.toLocaleString("en", { maximumFractionDigits: perSecond < 10 ? 1 : 0 });
}
