/** What a grant gives beyond what its giver holds: the comparison of policies, put into words. */

import { type Widening, widening } from "../analysis/widening.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Directory } from "../directory/directory.ts";
import type { EscalationCheck } from "../http/management/ports.ts";
import type { NamedStatements, Statement } from "../model/policy.ts";
import { parseResourceText } from "../model/resource-text.ts";

const USER = "${user}";
const WILDCARD = /[*?]/;
const ONE = 1;

/** Compares grants over a directory. */
export function escalationCheck(directory: Pick<Directory, "principal">, catalog: Catalog): EscalationCheck {
  const { partition } = catalog;
  return {
    async beyond(caller, granted, actsAs) {
      const held = (await directory.principal(caller))?.policies ?? [];
      const [before, after] =
        actsAs === undefined ? [held, granted] : [boundTo(caller, held), boundTo(actsAs, granted)];
      const [found] = widening(before, after, { partition, vocabulary: catalog, limit: ONE });
      return found === undefined ? undefined : described(found);
    },
  };
}

/**
 * Policies as they are in force for a user of that name. A name with wildcards stands for nobody else: such allows are
 * left out, as they are where decisions are made (security.md §3.1).
 */
function boundTo(username: string, policies: readonly NamedStatements[]): readonly NamedStatements[] {
  const isPattern = WILDCARD.test(username);
  return policies.map(({ name, statement }) => ({
    name,
    statement: statement
      .filter(({ effect, resource }) => !(isPattern && effect === "allow" && resource.includes(USER)))
      .map((one) => bound(username, one)),
  }));
}

function bound(username: string, statement: Statement): Statement {
  const resources = statement.resource.includes(USER) ? parseResourceText(statement.resource) : undefined;
  if (resources === undefined) return statement;
  const texts = resources.map((resource) => resource.replaceAll(USER, () => username));
  const [only] = texts;
  const resource = texts.length === 1 && only !== undefined ? only : JSON.stringify(texts);
  return { ...statement, resource };
}

function described({ counterexample, point, allowedBy }: Widening): string {
  const required = counterexample?.required ?? point;
  if (required !== undefined && "action" in required) return `${required.action} on ${required.resource}`;
  return `statement ${allowedBy.statement} of policy ${JSON.stringify(allowedBy.policy)}`;
}
