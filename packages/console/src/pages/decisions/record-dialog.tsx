/** One record: what was asked, by whom, and why the answer was what it was, on the directory of its revision. */

import type { DecisionRecord, RecordExplanation } from "@svc-authorizer/contract/management-api.gen.ts";
import { useAnswer } from "../../api/hooks.ts";
import { useMaySomewhere } from "../../api/permissions.ts";
import { Dialog } from "../../parts/dialogs/dialog.tsx";
import { Reasons } from "../../parts/reasons/reasons.tsx";
import { Alert } from "../../parts/states/alert.tsx";
import { Loading } from "../../parts/states/loading.tsx";
import { Time } from "../../parts/time.tsx";
import { PolicyFromRecord } from "./policy-from-record.tsx";
import { actionOf, nameOfItem, outcomeOf, policyFrom, resourceOf } from "./record.ts";

/** Shows a record. Where the directory of its revision is gone, the record is shown without reasons. */
export function RecordDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const path = { decisionId: id };
  const explained = useAnswer("GET /decisions/{decisionId}", { path, query: { explain: true } });
  const plain = useAnswer("GET /decisions/{decisionId}", { path }, { enabled: explained.error !== null });
  const mayCreate = useMaySomewhere("auth:CreatePolicy");
  const answer = explained.data ?? plain.data;
  const record = answer?.record;
  const statements = record && policyFrom(record);
  const reasons = explained.data?.explanations ?? [];
  return (
    <Dialog title="Decision" onClose={onClose}>
      {record === undefined && explained.error === null && <Loading what="the record" />}
      {record !== undefined && <Facts of={record} />}
      <Alert error={explained.error} />
      {record !== undefined && <Explained record={record} reasons={reasons} />}
      {statements !== undefined && mayCreate && <PolicyFromRecord statements={statements} />}
      <p class="buttons">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </p>
    </Dialog>
  );
}

interface ExplainedProps {
  readonly record: DecisionRecord;
  readonly reasons: readonly RecordExplanation[];
}

/** The reasons of a decision; those of the decisions of a batch each behind a fold. */
function Explained({ record, reasons }: ExplainedProps) {
  const { counts } = record;
  if (counts === undefined) return reasons.map((one, index) => <Reasons key={index} of={one} />);
  const all = counts.allow + counts.neutral + counts.deny;
  return (
    <>
      {reasons.map((one, index) => (
        <details key={index}>
          <summary>
            <span class={one.effect === "allow" ? "effect allow" : "effect deny"}>
              {one.effect === "allow" ? "Allowed" : "Refused"}
            </span>{" "}
            <bdi>{nameOfItem(record, index)}</bdi>
          </summary>
          <Reasons of={one} />
        </details>
      ))}
      {reasons.length > 0 && reasons.length < all && (
        <p class="quiet-text">
          The first {reasons.length} of {all.toLocaleString("en")} decisions are explained.
        </p>
      )}
    </>
  );
}

function Facts({ of: record }: { readonly of: DecisionRecord }) {
  const { subject, caller, entrance, node, revision, request_id, trace_id, context, error } = record;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["Subject", subject === undefined ? "several" : `${subject.type} ${subject.id ?? "nobody"}`],
    ["Action", actionOf(record)],
    ["Resource", resourceOf(record)],
    ["Asked by", caller && `${caller.name}${caller.peer === undefined ? "" : ` at ${caller.peer}`}`],
    ["Through", entrance],
    ["Node", `${node}, revision ${revision} of the directory`],
    ["Request", request_id],
    ["Trace", trace_id],
    ["Context", context && JSON.stringify(context)],
    ["Could not be evaluated", error],
  ];
  return (
    <>
      <div class={record.decision === true ? "verdict allow" : "verdict deny"}>
        <strong>{outcomeOf(record)}</strong>{" "}
        <span>
          <Time at={record.at} />
        </span>
      </div>
      <dl class="facts">
        {rows.map(([name, text]) =>
          text === undefined || text === "" ? null : (
            <>
              <dt>{name}</dt>
              <dd>
                <bdi>{text}</bdi>
              </dd>
            </>
          ),
        )}
      </dl>
    </>
  );
}
