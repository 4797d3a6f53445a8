/** The decision log: live, filtered, and one record explained. */

import { useLocation } from "preact-iso";
import { useAnswer } from "../../api/hooks.ts";
import { useSession } from "../../frame/session.tsx";
import { Page } from "../../parts/page.tsx";
import { Alert } from "../../parts/states/alert.tsx";
import { Loading } from "../../parts/states/loading.tsx";
import { filterIn, type RecordFilter, searchOf } from "./filter.ts";
import { FilterForm } from "./filter-form.tsx";
import { RecordDialog } from "./record-dialog.tsx";
import { RecordTable } from "./record-table.tsx";
import { useLiveRecords } from "./use-live-records.ts";

const AMOUNT = 50;

/** The page. Its address holds filter, page and the record that is open. */
export default function DecisionsPage() {
  const { query, route } = useLocation();
  const { recorded } = useSession();
  const filter = filterIn(query);
  const { after = "", id = "", live = "" } = query;
  const show = (next: RecordFilter, more: Readonly<Record<string, string>> = {}): void =>
    route(`/decisions${searchOf(next, more)}`);
  const kept: Readonly<Record<string, string>> = { after, live };
  const records = useAnswer(
    "GET /decisions",
    { query: { ...filter, amount: AMOUNT, ...(after === "" ? {} : { after }) } },
    { keepPrevious: true },
  );
  const fresh = useLiveRecords(
    live === "" ? undefined : filter,
    async () => !(await records.refetch()).isError,
  );
  const { data, error } = records;
  const older = data?.results ?? [];
  const known = new Set(fresh.records.map((record) => record.id));
  const rows = after === "" ? [...fresh.records, ...older.filter((one) => !known.has(one.id))] : older;
  return (
    <Page title="Decisions" help="decision-log">
      <p class="about">{recordedInWords(recorded)}</p>
      <FilterForm
        key={searchOf(filter, {})}
        filter={filter}
        onShow={(next) => show(next, live === "" ? {} : { live })}
        isLive={live !== ""}
        onLive={(on) => show(filter, on ? { live: "1" } : {})}
      />
      <Alert error={error} />
      {fresh.problem !== undefined && (
        <p class="warnings" role="status">
          {fresh.problem}
        </p>
      )}
      {data === undefined && error === null && <Loading what="decisions" />}
      {data !== undefined && (
        <>
          <MissingNodes node={data.node} missing={data.missing_nodes} />
          <LostRecords lost={data.lost} />
          <MaskedFilters names={data.masked_filters ?? []} />
          <RecordTable
            records={rows}
            onOpen={(open) => show(filter, { ...kept, id: open })}
            isStale={records.isPlaceholderData}
          />
          <p class="quiet-text">
            Records of node <bdi>{data.node}</bdi> in {data.chains.length}{" "}
            {data.chains.length === 1 ? "chain" : "chains"}.
          </p>
          {(after !== "" || data.pagination.has_more) && (
            <nav class="pager" aria-label="Pages of decisions">
              <button type="button" disabled={after === ""} onClick={() => show(filter, { live })}>
                Newest
              </button>
              <button
                type="button"
                disabled={!data.pagination.has_more}
                onClick={() => show(filter, { after: data.pagination.next_offset })}
              >
                Older
              </button>
            </nav>
          )}
        </>
      )}
      {id !== "" && <RecordDialog key={id} id={id} onClose={() => show(filter, kept)} />}
    </Page>
  );
}

/** Says first whose records these are not, so that nobody takes them for all. */
function MissingNodes({ node, missing }: { readonly node: string; readonly missing: readonly string[] }) {
  if (missing.length === 0) return null;
  return (
    <p class="warnings" role="status">
      Only node <bdi>{node}</bdi> was asked.{" "}
      {missing.length === 1 ? "Another node was" : `${missing.length.toLocaleString("en")} other nodes were`}{" "}
      not: <bdi>{missing.join(", ")}</bdi>.
    </p>
  );
}

/** Says which filters find nothing, because the log has their values masked. */
function MaskedFilters({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <p class="warnings" role="status">
      The log masks what was asked for ({names.join(", ")}): records with masked values are not found.
    </p>
  );
}

/** Says how many records of that time are lost: a decision without a record may have been made. */
function LostRecords({ lost }: { readonly lost: number }) {
  if (lost === 0) return null;
  return (
    <p class="warnings" role="status">
      {lost === 1 ? "A record" : `${lost.toLocaleString("en")} records`} of that time{" "}
      {lost === 1 ? "is" : "are"} lost: there was no room, or they are damaged.
    </p>
  );
}

/** Says which decisions have a record, so that a missing one is not taken for one that was never made. */
function recordedInWords(include: string): string {
  if (include === "all") return "Every decision is recorded.";
  const setting = "(authorizer.decision_log.include)";
  if (include === "denied") return `Only refusals are recorded ${setting}.`;
  const share = (Number(include) * 100).toLocaleString("en", { maximumFractionDigits: 3 });
  return `All refusals and ${share} % of the allowed decisions are recorded ${setting}.`;
}
