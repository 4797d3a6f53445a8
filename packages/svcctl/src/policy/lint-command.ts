/** `svcctl policy lint`. */

import { type OptionValues, textOption } from "@svc-authorizer/commands/command-spec.ts";
import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import { UsageFailure } from "@svc-authorizer/commands/failure.ts";
import {
  type PolicyDocument,
  readsAsPolicies,
} from "@svc-authorizer/policy/analysis/files/policy-documents.ts";
import {
  datasetProblems,
  definedNames,
  isDataset,
} from "@svc-authorizer/policy/analysis/lint/dataset-findings.ts";
import {
  type Finding,
  findingOf,
  type LintOptions,
  lintWhole,
  servicesOf,
} from "@svc-authorizer/policy/analysis/lint/lint.ts";
import { LINT_RULES, type LintRule, lintRuleNamed } from "@svc-authorizer/policy/analysis/lint/lint-rules.ts";
import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import type { Problem } from "@svc-authorizer/policy/errors.ts";
import { suggestion } from "@svc-authorizer/policy/model/closest-name.ts";
import { withDeclaredTypes } from "@svc-authorizer/policy/model/question-judge.ts";
import type { CommandCall } from "../command.ts";
import { countLevel, LINT_FORMATS, type LintFormat, lintReport } from "./lint-report.ts";
import { loadPolicies } from "./load-policies.ts";

/** Checks policies and data sets, and prints the findings. */
export async function lint({ context, options, args }: CommandCall): Promise<void> {
  const format = formatOf(options);
  const allowed = new Set(listOf(options["allow"]).map(ruleOf));
  const partition = textOption(options, "partition") ?? "svc";
  const catalog = await openCatalog({ partition });
  const loaded = await loadPolicies(context, args);
  const documents = loaded.documents.filter((one) => !loaded.found.has(one) || readsAsPolicies(one));
  const results = lintAll(documents, catalog, listOf(options["service"]));
  const all = [...loaded.problems.map(unreadable), ...results.flatMap(({ findings }) => findings)];
  const findings = all.filter(({ rule }) => !allowed.has(rule));
  const report = {
    findings,
    accepted: results.flatMap(({ accepted }) => accepted),
    allowed: all.length - findings.length,
    files: documents.length,
    others: loaded.documents.length - documents.length,
  };
  context.out(lintReport(report, format, context.style, context.version));
  // A misspelt member makes a file of policies one without any.
  const isEmpty = report.files === 0 && report.others > 0;
  if (isEmpty) context.err("no file that was found has policies: nothing was checked\n");
  const most =
    options["strict"] === true
      ? 0
      : ((options["maxWarnings"] as number | undefined) ?? Number.POSITIVE_INFINITY);
  const fails = isEmpty || countLevel(findings, "error") > 0 || countLevel(findings, "warning") > most;
  context.finish(fails ? EXIT.failed : EXIT.ok);
}

/** Checks documents together: each knows the resource types, groups and policies of all of them. */
function lintAll(documents: readonly PolicyDocument[], catalog: Catalog, services: readonly string[]) {
  const declared = documents.flatMap(({ resourceTypes }) => resourceTypes);
  const lintOptions: LintOptions = {
    vocabulary: withDeclaredTypes(catalog, declared),
    services: new Set([...catalog.services, ...servicesOf(declared, catalog.partition), ...services]),
  };
  const names = definedNames(documents, {
    groups: new Set(catalog.preconfigured.groups.map(({ name }) => name)),
    policies: new Set(catalog.preconfigured.policies.map(({ name }) => name)),
  });
  const schema = catalog.schema("dataset");
  return documents.map((document) => {
    const more = isDataset(document) ? datasetProblems(document, schema, names) : [];
    return lintWhole(
      document,
      lintOptions,
      more.map((problem) => findingOf(problem.rule, problem)),
    );
  });
}

function formatOf(options: OptionValues): LintFormat {
  const given = textOption(options, "format");
  const chosen = [
    ...(given === undefined ? [] : [given]),
    ...(options["json"] === true ? ["json"] : []),
    ...(options["sarif"] === true ? ["sarif"] : []),
  ];
  if (chosen.length > 1) throw new UsageFailure("--format, --json and --sarif exclude each other");
  const [format = "text"] = chosen;
  return LINT_FORMATS.find((known) => known === format) ?? "text";
}

function ruleOf(name: string): LintRule {
  const rule = lintRuleNamed(name);
  if (rule === undefined)
    throw new UsageFailure(`there is no rule ${name}${suggestion(name, LINT_RULES.keys())}`);
  return rule;
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value : [];
}

function unreadable(problem: Problem): Finding {
  return { ...problem, rule: "syntax", severity: "error" };
}
