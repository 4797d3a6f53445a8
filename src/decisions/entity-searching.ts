/** AuthZEN search for subjects and actions: who may do this, and what may be done (decision-api.md §2). */

import type { Directory } from "../directory/directory.ts";
import { decide } from "../engine/decide.ts";
import type { DecisionContext } from "../model/decision.ts";
import type { Properties } from "../model/entities.ts";
import type { ActionsOf } from "./action-listing.ts";
import type { DecisionCounters } from "./decisions.ts";
import { evaluationFields, type RequestProperties } from "./evaluation-fields.ts";
import type { Principals } from "./principals.ts";
import type { ResourceTypes } from "./resource-types.ts";
import type { ActionSearch, Found, SubjectSearch } from "./searches.ts";
import type { UserSearch } from "./user-search.ts";

const USER = "user";
const NO_FIELDS: DecisionContext = new Map();
/** What is found where the user, a type or an action is not known. */
export const NOTHING: Found<never> = { results: [], total: 0 };

/** What {@link EntitySearching} needs. */
export interface EntitySearchingOptions {
  readonly directory: Directory;
  readonly principals: Principals;
  readonly types: ResourceTypes;
  readonly users: UserSearch;
  readonly actions: ActionsOf;
  readonly counters: DecisionCounters;
  readonly requestProperties: RequestProperties;
}

/** Answers searches for subjects and actions. */
export class EntitySearching {
  readonly #options: EntitySearchingOptions;

  constructor(options: EntitySearchingOptions) {
    this.#options = options;
  }

  /** Users for whom an evaluation of the rest says true. */
  async subjects(search: SubjectSearch): Promise<Found<{ readonly type: string; readonly id: string }>> {
    const { types, directory, users, requestProperties } = this.#options;
    const { subject, action, resource, page, ...request } = search;
    await types.refreshed();
    const arn = types.arn(resource.type, resource.id);
    const name = types.action(resource.type, action.name);
    if (subject.type !== USER || arn === undefined || name === undefined) return NOTHING;
    const registered = (await directory.resources.get(resource.type, resource.id))?.properties;
    const parts = { ...request, action, resource };
    const fields = (properties: Properties): DecisionContext =>
      evaluationFields(
        { ...parts, subject },
        { subject: properties, resource: registered },
        requestProperties,
      );
    const required = { action: name, resource: arn };
    return users.find({
      required,
      context: evaluationFields(parts, { resource: registered }, requestProperties),
      page,
      fields,
      answer: ({ principal, policies }) => {
        const { username } = principal;
        const context = policies.readsContext ? fields(principal.properties) : NO_FIELDS;
        const { effect } = decide(policies, { user: username, required, context });
        this.#options.counters.decisions.search[effect]++;
        return effect === "allow" ? { type: USER, id: username } : undefined;
      },
    });
  }

  /** Actions for which an evaluation of the rest says true. */
  async actions(search: ActionSearch): Promise<Found<{ readonly name: string }>> {
    const { types, principals, directory, actions, requestProperties } = this.#options;
    const { subject, resource, page } = search;
    await types.refreshed();
    const arn = types.arn(resource.type, resource.id);
    const user = subject.type === USER && arn !== undefined ? await principals.get(subject.id) : undefined;
    if (user === undefined || arn === undefined) return NOTHING;
    const registered = (await directory.resources.get(resource.type, resource.id))?.properties;
    const properties = { subject: user.principal.properties, resource: registered };
    const context = evaluationFields(search, properties, requestProperties);
    const names = resource.type === "arn" ? types.allActions() : types.actionNames(resource.type);
    const action = (name: string): string => types.action(resource.type, name) ?? name;
    const found = await actions.allowed(user, { names, action, resource: arn, context, page }, "search");
    return { ...found, results: found.results.map((name) => ({ name })) };
  }
}
