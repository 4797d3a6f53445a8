/** The report of `svcctl policy diff`. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type {
  DifferenceScope,
  ScopeDifference,
} from "@svc-authorizer/policy/analysis/difference/world-difference.ts";
import type { Style } from "../style.ts";
import { differenceLines, summaryOf } from "./difference-lines.ts";
import { countOf } from "./placed-text.ts";

function scopeText(scope: DifferenceScope): string {
  if ("policy" in scope) return `For users who have only ${safeText(scope.policy)}`;
  if ("all" in scope) return "For users who have all policies";
  const { count, first } = scope.users;
  const names = safeText(first.join(", "));
  return `For ${countOf(count, "user")}: ${names}${count > first.length ? ", …" : ""}`;
}

/** Every scope with its lines, and the sum. */
export function reportText(scopes: readonly ScopeDifference[], style: Style): string {
  if (scopes.length === 0) return "Nothing is allowed or refused that was not before.\n";
  const sections = scopes.flatMap(({ scope, gains, losses, leftOut }) => [
    style.bold(scopeText(scope)),
    ...gains.flatMap((line) => differenceLines(line, "gains", style)),
    ...losses.flatMap((line) => differenceLines(line, "losses", style)),
    ...leftOut.map((one) => `  not all shown: ${one}`),
    "",
  ]);
  return `${[...sections, summaryOf(scopes)].join("\n")}\n`;
}
