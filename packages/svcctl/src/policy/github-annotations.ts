/** Writes findings as annotations of GitHub Actions: lines that its runner shows at the place in a pull request. */

import type { Finding } from "@svc-authorizer/policy/analysis/lint/lint.ts";

const COMMANDS = { error: "error", warning: "warning", note: "notice" } as const;

/** A value of a command: what would end it is escaped. */
function escaped(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return escaped(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

/** The lines, each ended. */
export function githubAnnotations(findings: readonly Finding[]): string {
  return findings
    .map(({ severity, rule, policy, message, file, line, column }) => {
      const places = [
        ...(file === undefined ? [] : [`file=${property(file)}`]),
        ...(line === undefined ? [] : [`line=${line}`]),
        ...(column === undefined ? [] : [`col=${column}`]),
        `title=${property(`svcctl policy lint: ${rule}`)}`,
      ];
      const about = policy === undefined ? message : `${policy}: ${message}`;
      return `::${COMMANDS[severity]} ${places.join(",")}::${escaped(about)}\n`;
    })
    .join("");
}
