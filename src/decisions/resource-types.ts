/** The resource types: those that ship and those that data sets declare (spec/decision-api §2.8). */

import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import {
  bySpecificity,
  type KnownType,
  knownType,
  resourcesOf,
} from "@svc-authorizer/policy/model/known-type.ts";
import { ARN_TYPE } from "@svc-authorizer/policy/model/names.ts";
import {
  type AskedQuestion,
  type QuestionDoubt,
  QuestionJudge,
  withDeclaredTypes,
} from "@svc-authorizer/policy/model/question-judge.ts";
import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import type { Directory } from "../directory/directory.ts";

/** Maps AuthZEN resources and action names to ARNs and actions. */
export class ResourceTypes {
  readonly #catalog: Catalog;
  readonly #directory: Directory;
  #known: ReadonlyMap<string, KnownType> = new Map();
  /** Ordered by the amount of literal text in their ARNs, descending. */
  #bySpecificity: readonly KnownType[] = [];
  #judge: QuestionJudge;
  /** Counts changes, so that a read that a change has overtaken is repeated. */
  #generation = 0;
  #knownGeneration = -1;
  #reading: Promise<void> | undefined;

  constructor(catalog: Catalog, directory: Directory) {
    this.#catalog = catalog;
    this.#directory = directory;
    this.#judge = new QuestionJudge(catalog);
  }

  /** Marks the types as changed. */
  invalidate(): void {
    this.#generation++;
  }

  /**
   * A promise to await before mapping: undefined, or the read of types that a data set changed. Concurrent callers
   * share one read. Rejects with "unavailable" if the store fails.
   */
  refreshed(): Promise<void> | undefined {
    if (this.#knownGeneration === this.#generation) return undefined;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    while (this.#knownGeneration !== this.#generation) {
      const generation = this.#generation;
      const declared = await this.#directory.resources.types();
      const all = [...this.#catalog.resourceTypes.values(), ...declared];
      this.#known = new Map(all.map((type) => [type.type, knownType(type)]));
      this.#bySpecificity = bySpecificity(this.#known.values());
      this.#judge = new QuestionJudge(withDeclaredTypes(this.#catalog, declared));
      this.#knownGeneration = generation;
    }
  }

  /** Doubts that a question can have an answer; none for one that a service can ask. */
  doubts(question: AskedQuestion): readonly QuestionDoubt[] {
    return this.#judge.doubts(question);
  }

  /** The ARN of a resource; undefined for an unknown type. Throws "invalid_request" if the id is ambiguous. */
  arn(type: string, id: string): string | undefined {
    if (type === ARN_TYPE) return id;
    const arn = this.#known.get(type)?.template.toArn(id);
    if (arn === undefined || typeof arn === "string") return arn;
    const problem = { pointer: "/resource/id", message: arn.problem };
    throw new AuthorizerError("invalid_request", `resource.id ${arn.problem}`, { problems: [problem] });
  }

  /** Every resource that an ARN can be, by type and id: those whose templates have most of its text first. */
  resourcesOf(arn: string): Generator<{ readonly type: string; readonly id: string }> {
    return resourcesOf(arn, this.#bySpecificity);
  }

  /** `service:Verb` of an action name: the name itself if it has a colon, else the type's action of that name. */
  action(type: string, name: string): string | undefined {
    return name.includes(":") ? name : this.#known.get(type)?.actions.get(name);
  }

  /** The action names of a type in UTF-8 byte order; none for an unknown type. */
  actionNames(type: string): readonly string[] {
    return [...(this.#known.get(type)?.actions.keys() ?? [])].sort(compareUtf8);
  }

  /** All actions of the catalog and of every type, as `service:Verb` in UTF-8 byte order. */
  allActions(): readonly string[] {
    const ofTypes = [...this.#known.values()].flatMap(({ actions }) => [...actions.values()]);
    return [...new Set([...this.#catalog.actions.keys(), ...ofTypes])].sort(compareUtf8);
  }

  /** The ARNs of a type as a pattern, a superset of them; undefined for an unknown type. */
  pattern(type: string): string | undefined {
    return this.#known.get(type)?.pattern;
  }
}
