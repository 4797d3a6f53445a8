/**
 * Finds the users who may do something from the policies that can allow it: it decides about the holders of these
 * policies only. A page is read from one state of the directory.
 */

import { type AllowedFields, narrowPolicies } from "@svc-authorizer/policy/engine/decide/may-allow.ts";
import { PER_ITEM } from "@svc-authorizer/policy/engine/work.ts";
import type { ConditionFields, RequiredLeaf } from "@svc-authorizer/policy/model/decision.ts";
import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import type { StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import type { Directory, HolderTest, Survey } from "../../directory/directory.ts";
import { Pace, type Pause } from "../../schedule/pace.ts";
import type { Scheduler, WorkBudget } from "../../schedule/scheduler.ts";
import type { CachedPrincipal } from "../cached-principal.ts";
import type { Principals } from "../principals.ts";
import type { Found, SearchPage } from "../searches.ts";
import type { AllPolicies } from "./all-policies.ts";

/** Number of times that a page is read again because policies changed meanwhile. After that it may mix two states. */
const ATTEMPTS = 3;

/** Options of {@link UserSearch}. */
interface UserSearchOptions {
  readonly directory: Directory;
  readonly principals: Principals;
  readonly all: AllPolicies;
  readonly scheduler: Scheduler;
}

/** The input of a search. */
interface UserQuestion<T> {
  readonly required: RequiredLeaf;
  /** Condition fields that are the same for every user, without their registered properties, in the state that is searched. */
  readonly contextIn: (survey: Survey) => Promise<ConditionFields>;
  readonly page: SearchPage;
  readonly budget: WorkBudget;
  /** The condition fields of a user with these registered properties. */
  readonly fields: (context: ConditionFields, properties: Properties) => ConditionFields;
  /**
   * Decides about a user. Returns the result for an allowed user, else undefined. The compiled policies are those that
   * matter for the question.
   */
  readonly answer: (
    user: CachedPrincipal,
    context: ConditionFields,
  ) => T | undefined | Promise<T | undefined>;
}

/** The fields of {@link UserQuestion.contextIn}. */
interface InState {
  readonly context: ConditionFields;
}

/** The policies that matter for a question. */
interface NarrowedDirectory {
  /** The policies that can allow it, by internal id, with the users that they can allow. */
  readonly holders: ReadonlyMap<string, HolderTest>;
  /** Present if attributes of the user decide whether any of them can allow it. */
  readonly byFields: AllowedFields | undefined;
  /** False for a policy that cannot change any decision about the question. */
  readonly relevant: (policy: StoredPolicy) => boolean;
}

/** Searches for users. */
export class UserSearch {
  readonly #options: UserSearchOptions;

  constructor(options: UserSearchOptions) {
    this.#options = options;
  }

  /** A page of answers about the users who are allowed, in UTF-8 byte order of their names. */
  async find<T>(question: UserQuestion<T>): Promise<Found<T>> {
    const { directory, all } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const { generation } = all;
      const { pause } = new Pace(question.budget.signal);
      const found = await directory.survey(async (survey) => {
        const context = await question.contextIn(survey);
        const narrowed = await this.#narrowed(survey, generation, { ...question, context });
        return this.#page(survey, narrowed, { ...question, context }, pause);
      }, pause);
      if (generation === all.generation || attempt === ATTEMPTS) return found;
    }
  }

  async #page<T>(
    survey: Survey,
    { holders, byFields, relevant }: NarrowedDirectory,
    { required, context, page, fields, answer, budget }: UserQuestion<T> & InState,
    pause: Pause,
  ): Promise<Found<T>> {
    const { principals } = this.#options;
    const results: T[] = [];
    let last = page.after ?? "";
    for await (const names of survey.holders(holders, last)) {
      for (const name of names) {
        await pause();
        budget.spend(PER_ITEM);
        if (byFields !== undefined) {
          const properties = await survey.properties(name);
          budget.spend(byFields.price);
          if (properties === undefined || !byFields.mayBe(name, fields(context, properties))) continue;
        }
        const principal = await survey.principal(name);
        if (principal === undefined) continue;
        const user = await principals.compiled(principal, relevant);
        await principals.ready(user.policies, required, budget);
        const result = await answer(user, context);
        if (result === undefined) continue;
        if (results.length === page.limit) return { results, next: last };
        results.push(result);
        last = name;
      }
    }
    return { results };
  }

  async #narrowed(
    survey: Survey,
    generation: number,
    { required, context, budget }: Pick<UserQuestion<unknown>, "required" | "budget"> & InState,
  ): Promise<NarrowedDirectory> {
    const { all, scheduler } = this.#options;
    const { policies, versions } = await all.get(survey, generation);
    const { allowing, byFields, relevant } = await scheduler.run(
      narrowPolicies(policies, { ...required, context }),
      { budget },
    );
    const holders = new Map<string, HolderTest>();
    for (const [name, { mayBe, price }] of allowing) {
      const test = (username: string): boolean => {
        budget.spend(price);
        return mayBe(username);
      };
      holders.set(versions.get(name)?.id ?? "", test);
    }
    return {
      holders,
      byFields,
      // A version other than the analysed one may differ.
      relevant: ({ name, version }) => relevant.has(name) || versions.get(name)?.version !== version,
    };
  }
}
