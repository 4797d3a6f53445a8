/** Policy templates filled in on the command line: `--template NAME --param name=value`. */

import { UsageFailure } from "@svc-authorizer/commands/failure.ts";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { fillTemplate } from "@svc-authorizer/policy/catalog/policy-template.ts";
import type { TemplateSummary } from "@svc-authorizer/policy/catalog/template-summaries.ts";
import { suggestion } from "@svc-authorizer/policy/model/closest-name.ts";
import type { NamedStatements } from "@svc-authorizer/policy/model/policy.ts";

/** A template and the sources of its parameter values. */
interface TemplateRequest {
  /** Id of the template. */
  readonly template: string;
  /** Values of `--param`: `name=value`. */
  readonly params: readonly string[];
  /** Product-name part of the ARNs of the policy. */
  readonly partition: string;
}

/**
 * The policy of a template with its parameters filled in.
 * @throws UsageFailure that names every missing, unknown or repeated parameter, and AuthorizerError for a value that
 *   cannot stand in an ARN
 */
export async function renderTemplate({
  template,
  params,
  partition,
}: TemplateRequest): Promise<NamedStatements> {
  const { templates } = await openCatalog({ partition });
  const found = templates.get(template);
  if (found === undefined) {
    const names = [...templates.keys()];
    throw new UsageFailure(`unknown template ${JSON.stringify(template)}${suggestion(template, names)}`, [
      `Templates: ${names.join(", ")}`,
    ]);
  }
  return fillTemplate(found, valuesOf(found, params));
}

function valuesOf(template: TemplateSummary, params: readonly string[]): ReadonlyMap<string, string> {
  const known = template.parameters.map(({ name }) => name);
  const values = new Map<string, string>();
  const problems: string[] = [];
  for (const param of params) {
    const equals = param.indexOf("=");
    const name = param.slice(0, equals);
    if (equals <= 0) problems.push(`--param ${JSON.stringify(param)}: expected name=value`);
    else if (!known.includes(name)) {
      problems.push(
        `template ${template.id} has no parameter ${JSON.stringify(name)}${suggestion(name, known)}`,
      );
    } else if (values.has(name)) problems.push(`parameter ${name} has two values`);
    else values.set(name, param.slice(equals + 1));
  }
  for (const { name, meaning } of template.parameters) {
    if (!values.has(name)) problems.push(`parameter ${name} is missing: --param ${name}=… (${meaning})`);
  }
  const [first, ...rest] = problems;
  if (first !== undefined) throw new UsageFailure(first, rest);
  return values;
}
