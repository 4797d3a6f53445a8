/** A difference for people: as text, and as Markdown for a review. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { AppliedChange, ApplyAnswer } from "@svc-authorizer/contract/management-api.gen.ts";
import { markdownText } from "../output/markdown-text.ts";
import { differenceLines } from "../policy/difference-lines.ts";
import { countOf } from "../policy/placed-text.ts";
import { PLAIN, type Style } from "../style.ts";
import { changesOf } from "./difference.ts";
import type { PolicyEffect } from "./semantic-changes.ts";

/** A finding of lint that a policy in the files accepts. */
export interface AcceptedFinding {
  readonly policy: string;
  readonly rule: string;
  readonly sid?: string;
  readonly reason: string;
}

const SIGN = { add: "+", change: "~", remove: "-", keep: "=" } as const;

/** The difference, one change a line, each followed by the requests that it allows or refuses from now on. */
export function differenceText(
  difference: ApplyAnswer,
  effects: readonly PolicyEffect[],
  style: Style,
): string {
  const lines = difference.changes.flatMap((change) => [
    painted(change, style)(`${SIGN[change.action]} ${changeText(change)}`),
    ...effectLines(change, effects, style).map((line) => `    ${line}`),
  ]);
  return [...lines, `${summaryText(difference)}\n`].join("\n");
}

function painted({ action }: AppliedChange, style: Style): (text: string) => string {
  if (action === "add") return style.green;
  if (action === "remove") return style.red;
  return action === "change" ? style.yellow : (text) => text;
}

function changeText(change: AppliedChange): string {
  const { kind, name } = change;
  const notes = notesOf(change);
  return safeText(`${kind} ${name}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`);
}

function notesOf(change: AppliedChange): readonly string[] {
  const { action, fields = [], policies = [], policy_count: count = 0, drifted } = change;
  return [
    ...(fields.length === 0 ? [] : [fields.join(", ")]),
    ...(policies.length === 0 ? [] : [`gives ${policies.join(", ")}`]),
    ...(count === 0 ? [] : [`gives ${count} policies`]),
    ...(drifted === true ? ["changed by somebody else"] : []),
    ...(action === "keep" ? ["no file names it; --prune removes it"] : []),
  ];
}

/** `2 to add, 1 to change, 0 to remove`, or with `added` where it is done. */
export function summaryText(difference: ApplyAnswer): string {
  const { counts, dry_run: dryRun, removes_most: removesMost } = difference;
  if (changesOf(difference) === 0) return "nothing to change";
  const words = dryRun ? ["to add", "to change", "to remove"] : ["added", "changed", "removed"];
  const numbers = [counts.add, counts.change, counts.remove].map(
    (count, index) => `${count} ${words[index]}`,
  );
  const most =
    dryRun && removesMost ? "; removes more than half of what was applied before: needs --yes" : "";
  return numbers.join(", ") + most;
}

function effectLines(
  { kind, name }: AppliedChange,
  effects: readonly PolicyEffect[],
  style: Style,
): readonly string[] {
  if (kind !== "policy") return [];
  return effects
    .filter(({ policy }) => policy === name)
    .flatMap(({ gains, losses, leftOut }) => [
      ...gains.flatMap((one) => differenceLines(one, "gains", style)),
      ...losses.flatMap((one) => differenceLines(one, "losses", style)),
      ...leftOut.map((one) => `not all shown: ${one}`),
    ]);
}

/** A table of the difference, and what changed policies allow and refuse, for a comment on a pull request. */
export function differenceMarkdown(
  difference: ApplyAnswer,
  effects: readonly PolicyEffect[],
  accepted: readonly AcceptedFinding[] = [],
): string {
  const { changes, refused } = difference;
  const rows = changes.map((change) => {
    const { action, kind, name } = change;
    const cells = [action, kind, name, notesOf(change).join("; ")];
    return `| ${cells.map(markdownText).join(" | ")} |`;
  });
  const table = ["| | Kind | Name | |", "|---|---|---|---|", ...rows];
  const widenings = effects.filter(({ gains }) => gains.length > 0).map(({ policy }) => policy);
  const details = changes.flatMap((change) => {
    const lines = effectLines(change, effects, PLAIN);
    return lines.length === 0 ? [] : [`**${markdownText(change.name)}**`, "", ...fenced(lines), ""];
  });
  return [
    `**${markdownText(summaryText(difference))}**`,
    "",
    ...(changes.length === 0 ? [] : [...table, ""]),
    ...(widenings.length === 0
      ? []
      : [
          `${countOf(widenings.length, "policy").replace(/ys$/, "ies")} would allow more: ${widenings.map(markdownText).join(", ")}`,
          "",
        ]),
    ...(details.length === 0
      ? []
      : [
          "<details><summary>Access that policies would give (+) and take (-)</summary>",
          "",
          ...details,
          "</details>",
          "",
        ]),
    ...(accepted.length === 0
      ? []
      : [
          "Findings of lint that changed policies accept:",
          "",
          ...accepted.map(({ policy, rule, sid, reason }) => {
            const where = sid === undefined ? policy : `${policy}, statement ${sid}`;
            return `- ${markdownText(`${where}: ${rule}: ${reason}`)}`;
          }),
          "",
        ]),
    ...(refused.length === 0
      ? []
      : [`${countOf(refused.length, "change")} may not be made with the key that asked.`, ""]),
  ].join("\n");
}

/** A block of code that its lines cannot end. */
function fenced(lines: readonly string[]): readonly string[] {
  const longest = Math.max(
    2,
    ...lines.flatMap((line) => (line.match(/`+/g) ?? []).map(({ length }) => length)),
  );
  const fence = "`".repeat(longest + 1);
  return [`${fence}diff`, ...lines, fence];
}
