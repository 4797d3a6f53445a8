/** The answer of `POST /auth/apply`, as the command reads it. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { ApplyAnswer } from "@svc-authorizer/contract/management-api.gen.ts";
import type { Problem } from "@svc-authorizer/policy/errors.ts";
import type { DocumentSource } from "@svc-authorizer/policy/source-files/source.ts";

/** Number of changes that would be made. */
export function changesOf({ counts }: Pick<ApplyAnswer, "counts">): number {
  return counts.add + counts.change + counts.remove;
}

/** Problems with the places of the files in which they are. */
export function located(
  problems: readonly Problem[],
  sources: readonly DocumentSource[],
): readonly Problem[] {
  return problems.map((problem) => {
    const [, index = "", rest = ""] = /^\/documents\/(\d+)(.*)$/s.exec(problem.pointer) ?? [];
    const source = index === "" ? undefined : sources[Number(index)];
    if (source === undefined) return problem;
    return { ...problem, file: source.file, pointer: rest, ...source.locate([rest]).get(rest) };
  });
}

/** `access/users.yaml:3:5: message`. */
export function problemText({ file, line, column, message }: Problem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return safeText(place === "" ? message : `${place}: ${message}`);
}
