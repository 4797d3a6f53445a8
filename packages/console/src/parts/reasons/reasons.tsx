/** The reasons of a decision: what decided, what came near, and the required permissions with their effects. */

import type {
  DeterminingStatement,
  NearMiss,
  RecordExplanation,
  Via,
} from "@svc-authorizer/contract/management-api.gen.ts";
import { StatementName } from "../policies/statement-name.tsx";
import { Section } from "../section.tsx";
import { ConditionTests } from "./condition-tests.tsx";
import { EffectTreeView } from "./effect-tree-view.tsx";
import { ViaText } from "./via-text.tsx";

/** Shows the reasons. */
export function Reasons({ of: reasons }: { readonly of: RecordExplanation }) {
  const { tree, masked, error, unexplained, masked_fields: fields = [] } = reasons;
  if (masked) return <p>This decision cannot be explained: its user or permission is masked in the log.</p>;
  if (error !== undefined) {
    return (
      <p>
        Nothing was evaluated: <bdi>{error}</bdi>.
      </p>
    );
  }
  if (unexplained) {
    return (
      <p>
        The policies of that time give another effect: something else decided, such as a limit or the rule
        that keeps mirrors read-only, or the record lacks a value.
      </p>
    );
  }
  return (
    <>
      {fields.length > 0 && (
        <p>
          The policies read condition fields that are masked in the log, so that the reasons may be others:{" "}
          {fields.join(", ")}.
        </p>
      )}
      <Deciding of={reasons.determining} />
      {reasons.effect === "neutral" && <NearMisses of={reasons.near_misses} />}
      {tree !== undefined && (
        <details>
          <summary>Evaluation</summary>
          <EffectTreeView tree={tree} />
        </details>
      )}
    </>
  );
}

function Deciding({ of: determining }: { readonly of: readonly DeterminingStatement[] }) {
  if (determining.length === 0) return null;
  return (
    <Section title={determining.length === 1 ? "The deciding statement" : "The deciding statements"}>
      <ul class="plain reasons">
        {determining.map(({ policy, statement, sid, effect, action, resource, conditions, via }) => (
          <li key={`${policy} ${statement}`}>
            <StatementName policy={policy} statement={statement} sid={sid} /> <Reaches via={via} />
            <p>
              <span class={effect === "allow" ? "effect allow" : "effect deny"}>{effect}</span>{" "}
              <code>{action}</code> on <code>{resource}</code>
            </p>
            <ConditionTests of={conditions ?? []} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function NearMisses({ of: misses }: { readonly of: readonly NearMiss[] }) {
  if (misses.length === 0) return <p>No statement of the user's policies comes near.</p>;
  return (
    <Section title="Near misses" about="Statements that would allow it, but for one part.">
      <ul class="plain reasons">
        {misses.map(({ policy, statement, sid, why, detail, conditions }) => (
          <li key={`${policy} ${statement}`}>
            <StatementName policy={policy} statement={statement} sid={sid} />
            <p>
              The {why} does not match: <bdi>{detail}</bdi>
            </p>
            <ConditionTests of={conditions ?? []} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Reaches({ via }: { readonly via: readonly Via[] }) {
  return via.length === 0 ? null : (
    <span class="quiet-text">
      <ViaText via={via} />
    </span>
  );
}
