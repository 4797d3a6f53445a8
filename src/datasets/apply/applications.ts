/** Applies documents to a running service: what the management API asks of data sets (spec/management-cli §10). */

import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import { AuthorizerError, type Problem } from "@svc-authorizer/policy/errors.ts";
import type { Guards } from "@svc-authorizer/policy/model/names.ts";
import type { PolicyLimits } from "@svc-authorizer/policy/model/policy-validation.ts";
import { compileTemplate } from "@svc-authorizer/policy/model/template.ts";
import type { DirectoryState } from "../../directory/batch.ts";
import { checkPolicies } from "../check-entities.ts";
import { checkReferences } from "../check-references.ts";
import type { MergedDataset } from "../merge.ts";
import { ProblemList } from "../problem-list.ts";
import type { DatasetRules } from "../world.ts";
import type { AppliedPlan } from "./applied-plan.ts";
import { checkManagers, checkRemains } from "./check-application.ts";
import { readDocuments } from "./documents.ts";
import { planApplication } from "./plan-application.ts";
import { type WantedEntity, wantedEntities } from "./wanted-entities.ts";

/** Settings of {@link Applications}. */
interface ApplicationSettings {
  readonly catalog: Catalog;
  readonly guards: Guards;
  readonly limits: Partial<PolicyLimits>;
  /** True if the service makes the directory equal to data sets of its own. */
  readonly syncs: boolean;
}

/** Documents whose form is valid. */
export interface ReadDocuments {
  /** The entities that they name. */
  readonly entities: readonly WantedEntity[];
  readonly merged: MergedDataset;
}

/** The manager and the way of an application. */
export interface ApplicationRequest {
  readonly manager: string;
  readonly prune: boolean;
  readonly documents: ReadDocuments;
  readonly state: DirectoryState;
}

/** Reads, plans and checks applications. */
export class Applications {
  readonly #catalog: Catalog;
  readonly #rules: DatasetRules;
  readonly #syncs: boolean;

  constructor({ catalog, guards, limits, syncs }: ApplicationSettings) {
    this.#catalog = catalog;
    this.#syncs = syncs;
    this.#rules = {
      partition: catalog.partition,
      guards,
      limits,
      // What is preconfigured is in the directory.
      preconfigured: { policies: [], groups: [] },
      builtInServices: catalog.services,
      builtInTypes: new Map([...catalog.resourceTypes].map(([name, type]) => [name, compileTemplate(type)])),
    };
  }

  /** Reads documents; throws "invalid_request" with every problem of their form and their names. */
  async read(documents: readonly unknown[]): Promise<ReadDocuments> {
    const problems = new ProblemList();
    const schema = this.#catalog.schema("dataset");
    const merged = await readDocuments(documents, { schema, rules: this.#rules, problems });
    await throwIfAny(problems);
    return { merged, entities: await wantedEntities(merged) };
  }

  /** Plans an application. {@link check} says whether the plan can be made true. */
  plan({ manager, prune, documents, state }: ApplicationRequest): Promise<AppliedPlan> {
    return planApplication({ manager, prune, wanted: documents.entities, state });
  }

  /**
   * Checks a plan against the directory.
   * @throws AuthorizerError "conflict" with every entity that somebody else manages, "invalid_request" with every
   *   problem if there are others
   */
  async check({ manager, documents, state }: ApplicationRequest, plan: AppliedPlan): Promise<void> {
    const { merged, entities: wanted } = documents;
    const problems = new ProblemList();
    const checks = { manager, wanted, state, plan, syncs: this.#syncs, problems };
    await checkReferences(merged, merged, { rules: this.#rules, state, mode: "load", problems });
    await checkPolicies({ merged, rules: this.#rules, state, mode: "load", problems });
    await checkRemains(checks);
    const invalid = problems.count;
    await checkManagers(checks);
    await throwIfAny(problems, invalid === 0 ? "conflict" : "invalid_request");
  }
}

async function throwIfAny(
  problems: ProblemList,
  code: "conflict" | "invalid_request" = "invalid_request",
): Promise<void> {
  if (problems.count === 0) return;
  const list = (await problems.list()).map(inDocuments);
  const what = problems.count === 1 ? "1 problem" : `${problems.count} problems`;
  throw new AuthorizerError(code, `the documents have ${what}; nothing was changed`, { problems: list });
}

/** The list has the index of the document as the file. */
function inDocuments({ file, pointer, message, member }: Problem): Problem {
  const at = file === undefined ? pointer : `/documents/${file}${pointer}`;
  return { pointer: at, message, ...(member !== undefined && { member }) };
}
