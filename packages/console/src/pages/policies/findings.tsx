/** Findings about a policy, below its editor. */

import type { PolicyLintAnswer } from "@svc-authorizer/contract/management-api.gen.ts";

/** Lists the findings with their lines. */
export function Findings({ lint }: { readonly lint: PolicyLintAnswer | undefined }) {
  if (lint === undefined) return null;
  const { findings, complete } = lint;
  return (
    <div class="findings" role="status">
      {findings.length === 0 && <p class="quiet-text">No faults found.</p>}
      <ul>
        {findings.map(({ severity, message, line, pointer }) => (
          <li key={`${pointer} ${message}`}>
            <span class={severity === "error" ? "tag deny" : severity === "warning" ? "tag warn" : "tag"}>
              {severity}
            </span>{" "}
            {line !== undefined && `line ${line}: `}
            {pointer !== "" && <code>{pointer}</code>} {message}
          </li>
        ))}
      </ul>
      {!complete && <p class="quiet-text">There may be more: the check was cut off.</p>}
    </div>
  );
}
