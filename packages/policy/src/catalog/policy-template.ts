/** Fills the parameters of a policy template (spec/permissions §13.4). */

import { AuthorizerError, type Problem } from "../errors.ts";
import type { NamedStatements } from "../model/policy.ts";
import type { PolicyTemplate } from "./catalog.ts";
import { mapResources } from "./partition.ts";

const PARAMETER = /\{([A-Za-z][A-Za-z0-9_]*)\}/g;
/** Not a parameter but the placeholder of the current user (spec/evaluation §5). */
const USER = "${user}";

/** Names of the parameters in a policy's resources, without `${user}`. */
export function parametersOf(policy: NamedStatements): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { resource } of policy.statement) {
    for (const match of resource.replaceAll(USER, "").matchAll(PARAMETER)) names.add(match[1] as string);
  }
  return names;
}

function valueProblem(value: string | undefined): string | undefined {
  if (value === undefined || value === "") return "needs a value";
  if (/[*?]/.test(value)) return "must not contain * or ?, which act as wildcards";
  if (value.includes(USER)) return `must not contain ${USER}`;
  return /\p{Cc}/u.test(value) || !value.isWellFormed() ? "must not contain control characters" : undefined;
}

function fillProblems(template: PolicyTemplate, values: ReadonlyMap<string, string>): Problem[] {
  const problems: Problem[] = [];
  const declared = new Set(template.parameters.map(({ name }) => name));
  for (const name of declared) {
    const message = valueProblem(values.get(name));
    if (message !== undefined)
      problems.push({ pointer: `/${name}`, message: `the parameter ${name} ${message}` });
  }
  for (const name of values.keys()) {
    if (!declared.has(name))
      problems.push({ pointer: "", message: "has a value for a parameter that is unknown" });
  }
  return problems;
}

/**
 * The policy of a template with its parameters filled in.
 * @param values a value for each declared parameter
 * @throws AuthorizerError("invalid_request") with every missing, unknown or invalid value
 */
export function fillTemplate(template: PolicyTemplate, values: ReadonlyMap<string, string>): NamedStatements {
  const problems = fillProblems(template, values);
  if (problems.length > 0) {
    const message = `the policy template "${template.id}" cannot be filled: ${problems.map((it) => it.message).join("; ")}`;
    throw new AuthorizerError("invalid_request", message, { problems });
  }
  // Splitting at `${user}` keeps it, whatever the names of the parameters are.
  const filled = (resource: string): string =>
    resource
      .split(USER)
      .map((part) => part.replace(PARAMETER, (whole, name: string) => values.get(name) ?? whole))
      .join(USER);
  const { name, statement } = template.policy;
  return { name, statement: statement.map((it) => ({ ...it, resource: mapResources(it.resource, filled) })) };
}
