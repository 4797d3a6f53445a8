/** The result of a replay for people: as text, or as Markdown for a review. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { statementWords } from "@svc-authorizer/policy/model/statement-words.ts";
import type { ReplayGroup, ReplayReport } from "@svc-authorizer/policy/records/replay/replay.ts";
import { markdownText } from "../../output/markdown-text.ts";
import type { Style } from "../../style.ts";

/** Returns the lines of a terminal. */
export function textReport(report: ReplayReport, style: Style): string {
  const lines = [summaryOf(report)];
  for (const group of report.groups) {
    lines.push("", style.bold(safeText(headingOf(group))));
    for (const { id, user, request } of group.examples)
      lines.push(`  ${safeText(`${id}  ${user}  ${request}`)}`);
  }
  return [...lines, ...notes(report, safeText), ""].join("\n");
}

/** Returns a table for a review. */
export function markdownReport(report: ReplayReport): string {
  const rows = report.groups.map((group) => {
    const examples = group.examples
      .map(({ user, request }) => `${markdownText(user)}: ${markdownText(request)}`)
      .join("<br>");
    const cells = [
      group.change,
      markdownText(statementWords(group)),
      group.side,
      String(group.count),
      examples,
    ];
    return `| ${cells.join(" | ")} |`;
  });
  const table = ["| Access | Statement | | Requests | Examples |", "|---|---|---|---|---|", ...rows];
  return [
    summaryOf(report),
    "",
    ...(rows.length === 0 ? [] : table),
    ...notes(report, markdownText),
    "",
  ].join("\n");
}

function summaryOf({ records, decisions, wider, narrower }: ReplayReport): string {
  const count = (value: number) => value.toLocaleString("en");
  return (
    `${count(records)} records with ${count(decisions)} decisions: ` +
    `${count(wider)} would be allowed that were refused, ${count(narrower)} refused that were allowed`
  );
}

function headingOf(group: ReplayGroup): string {
  const by = group.side === "added" ? "by" : "without";
  return `${group.change}: ${group.count.toLocaleString("en")} requests ${by} ${statementWords(group)}`;
}

/** @param shown makes a text of others harmless */
function notes(report: ReplayReport, shown: (text: string) => string): readonly string[] {
  const { decisions, allowed, masked, unlisted } = report;
  const { missing_fields: fields, changed_properties: changed, partly_recorded: partly } = report;
  const found: string[] = [];
  if (masked > 0) {
    const count = masked.toLocaleString("en");
    found.push(`${count} decisions are left out: their user or permission is masked in the log`);
  }
  if (unlisted > 0) {
    const count = unlisted.toLocaleString("en");
    found.push(`${count} decisions of batches are left out: their records do not list them`);
  }
  if (decisions > 0 && allowed === 0) {
    found.push(
      "No recorded decision was allowed: requests that would be refused now are not found (authorizer.decision_log.include)",
    );
  }
  for (const share of partly?.shares ?? []) {
    found.push(
      `Of the allowed decisions a share of ${share} is recorded: more requests would be refused now than are counted`,
    );
  }
  if (partly !== undefined && partly.unknown > 0) {
    const count = partly.unknown.toLocaleString("en");
    found.push(
      `Of the time of ${count} records it is not known which allowed decisions were recorded: more requests may be refused now than are counted`,
    );
  }
  if (fields.length > 0) {
    found.push(`Some records lack condition fields that the new policies read: ${shown(fields.join(", "))}`);
  }
  if (changed !== undefined) {
    found.push(
      `Properties of users (${changed.users}) and resources (${changed.resources}) differ; requests are decided with those of their records`,
    );
  }
  return found.length === 0 ? [] : ["", ...found];
}
