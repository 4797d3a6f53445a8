/** The answer of `POST /auth/apply`, as the command reads it. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { Problem } from "@svc-authorizer/policy/errors.ts";
import type { DocumentSource } from "@svc-authorizer/policy/source-files/source.ts";

/** One change of the difference. */
export interface AppliedChange {
  readonly action: "add" | "change" | "remove" | "keep";
  readonly kind: string;
  readonly name: string;
  readonly fields?: readonly string[];
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
  readonly policies?: readonly string[];
  readonly drifted?: boolean;
  readonly at?: string;
}

/** The difference. */
export interface Difference {
  readonly manager: string;
  readonly dry_run: boolean;
  readonly changes: readonly AppliedChange[];
  readonly counts: Readonly<Record<AppliedChange["action"], number>>;
  readonly removes_most: boolean;
  readonly digest: string;
  readonly refused: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** Number of changes that would be made. */
export function changesOf({ counts }: Pick<Difference, "counts">): number {
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
