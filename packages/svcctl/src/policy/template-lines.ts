/** The list of policy templates in help texts. */

import {
  type TemplateSummary,
  templateSummaries,
} from "@svc-authorizer/policy/catalog/template-summaries.ts";

/** The shipped templates, as a section of a help text. */
export function templateHelp(): readonly string[] {
  return ["Templates:", ...templateLines(templateSummaries())];
}

/** Lines that list templates with their parameters, for help texts. */
export function templateLines(templates: readonly TemplateSummary[]): readonly string[] {
  const width = Math.max(...templates.map(({ id }) => id.length));
  return templates.flatMap(({ id, description, parameters }) => [
    `  ${id.padEnd(width)}  ${description}`,
    ...parameters.map(({ name, meaning }) => `  ${"".padEnd(width)}    --param ${name}=…  ${meaning}`),
  ]);
}
