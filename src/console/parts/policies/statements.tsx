/** Statements of a policy as sentences. */

import type { Statement } from "../../api/management.gen.ts";
import { sentenceOf } from "../../catalog/sentences.ts";

/** Lists what statements allow and deny. `most`: how many are shown; the rest is counted. */
export function Statements({ of, most }: { readonly of: readonly Statement[]; readonly most?: number }) {
  const shown = of.slice(0, most);
  return (
    <ul class="sentences">
      {shown.map((statement, index) => {
        const { effect, does, resource, conditions } = sentenceOf(statement);
        return (
          <li key={index}>
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
