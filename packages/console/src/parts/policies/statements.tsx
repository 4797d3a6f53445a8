/** Statements of a policy as sentences. */

import type { Statement } from "@svc-authorizer/contract/management-api.gen.ts";
import { sentenceOf } from "../../catalog/sentences.ts";

/** Properties of {@link Statements}. */
interface StatementsProps {
  readonly of: readonly Statement[];
  /** Number of statements that are shown; the rest is counted. */
  readonly most?: number;
  /** True: each is named by its `sid`, or by its place, counted from zero as the API and svcctl do. */
  readonly isNumbered?: boolean;
}

/** Lists what statements allow and deny. */
export function Statements({ of, most, isNumbered = false }: StatementsProps) {
  const shown = of.slice(0, most);
  return (
    <ul class="sentences">
      {shown.map((statement, index) => {
        const { effect, does, resource, conditions } = sentenceOf(statement);
        return (
          <li key={index}>
            {isNumbered && (
              <span class="quiet-text">
                <bdi>{statement.sid ?? index}</bdi>:{" "}
              </span>
            )}
            <span class={effect === "may" ? "effect allow" : "effect deny"}>{effect}</span> {does} on{" "}
            <bdi>{resource}</bdi>
            {conditions.map((clause, at) => (
              <span key={clause} class="condition">
                {" "}
                {at === 0 ? "if" : "and"} <bdi>{clause}</bdi>
              </span>
            ))}
          </li>
        );
      })}
      {of.length > shown.length && (
        <li class="quiet-text">
          and {of.length - shown.length} more {of.length - shown.length === 1 ? "statement" : "statements"}
        </li>
      )}
    </ul>
  );
}
