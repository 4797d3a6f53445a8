/** `svcctl policy lint`. */

import { type Finding, lintDocument, servicesOf } from "../../../analysis/lint.ts";
import { openCatalog } from "../../../catalog/open-catalog.ts";
import type { Problem } from "../../../errors.ts";
import { textOption } from "../../command-spec.ts";
import { EXIT } from "../../exit-codes.ts";
import { UsageFailure } from "../../failure.ts";
import { safeText } from "../../safe-text.ts";
import type { CommandCall } from "../command.ts";
import { jsonText } from "../output/json-text.ts";
import type { Style } from "../style.ts";
import { loadPolicies } from "./load-policies.ts";
import { countOf, placeText } from "./placed-text.ts";
import { sarifOf } from "./sarif.ts";

/** Checks policies and prints the findings as text, JSON or SARIF. */
export async function lint({ context, options, args }: CommandCall): Promise<void> {
  if (options["json"] === true && options["sarif"] === true)
    throw new UsageFailure("--json and --sarif exclude each other");
  const partition = textOption(options, "partition") ?? "svc";
  const catalog = await openCatalog({ partition });
  const { documents, problems } = await loadPolicies(context, args);
  const declared = documents.flatMap(({ resourceTypes }) => resourceTypes);
  const services = new Set([
    ...catalog.services,
    ...servicesOf(declared, partition),
    ...listOf(options["service"]),
  ]);
  const findings = [
    ...problems.map(unreadable),
    ...documents.flatMap((document) => lintDocument(document, { vocabulary: catalog, services })),
  ];
  const counts = {
    errors: findings.filter(({ severity }) => severity === "error").length,
    warnings: findings.filter(({ severity }) => severity === "warning").length,
    files: documents.length,
  };
  if (options["sarif"] === true) context.out(jsonText(sarifOf(findings, context.version)));
  else if (options["json"] === true) context.out(jsonText({ ...counts, findings }));
  else context.out(reportText(findings, counts, context.style));
  const most =
    options["strict"] === true
      ? 0
      : ((options["maxWarnings"] as number | undefined) ?? Number.POSITIVE_INFINITY);
  context.finish(counts.errors > 0 || counts.warnings > most ? EXIT.failed : EXIT.ok);
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value : [];
}

function unreadable(problem: Problem): Finding {
  return { ...problem, rule: "syntax", severity: "error" };
}

function reportText(
  findings: readonly Finding[],
  { errors, warnings, files }: { errors: number; warnings: number; files: number },
  style: Style,
): string {
  const lines = findings.map((finding) => {
    const { severity, rule, message, pointer, policy } = finding;
    const label = severity === "error" ? style.red("error") : style.yellow("warning");
    const about = policy === undefined ? pointer : `${policy}${pointer === "" ? "" : ` at ${pointer}`}`;
    const place = style.bold(placeText(finding));
    return `${place}: ${label} [${rule}] ${about === "" ? "" : `${safeText(about)}: `}${safeText(message)}`;
  });
  const summary = `${countOf(errors, "error")}, ${countOf(warnings, "warning")} in ${countOf(files, "file")}`;
  return `${[...lines, summary].join("\n")}\n`;
}
