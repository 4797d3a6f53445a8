/**
 * Policies in documents of every form in which they are written: a policy, a statement document (`{statement: […]}`,
 * as `svcctl auth policies create` takes it), a list of these, a data set. The reader is lenient: it reports each fault
 * with its place and reads the rest.
 */

import { type Problem, pointTo } from "../../errors.ts";
import type { Acceptance, Condition, NamedStatements, Statement } from "../../model/policy.ts";
import { policyMemberProblems, statementMemberProblems } from "../../model/policy-members.ts";
import type { ResourceType } from "../../model/resource-type.ts";
import { canonicalSource } from "../../source-files/canonical-source.ts";
import type { DocumentSource } from "../../source-files/source.ts";

/** A policy with its place. */
export interface FoundPolicy extends NamedStatements {
  /** JSON pointer of the policy in its document. */
  readonly pointer: string;
  /** Findings of lint that somebody accepted, as they are written. */
  readonly accept?: readonly Acceptance[];
  /** False if the document has no name and the name of the file is used. */
  readonly named: boolean;
}

/** The policies of a document. */
export interface PolicyDocument {
  readonly source: DocumentSource;
  readonly policies: readonly FoundPolicy[];
  /** Resource types that a data set declares, as they are written. */
  readonly resourceTypes: readonly ResourceType[];
  /** Faults of form. */
  readonly problems: readonly Problem[];
  /** Pointers of malformed statements, which get no further findings. */
  readonly unreadable: ReadonlySet<string>;
}

type JsonObject = Readonly<Record<string, unknown>>;

const POLICY_FIELDS: ReadonlySet<string> = new Set([
  "$schema",
  "name",
  "id",
  "statement",
  "accept",
  "creation_date",
  "acl",
  "description",
  "source",
  "note",
]);
/** Replaces a resource that is not a text, so that it causes no further findings. */
const UNREADABLE_RESOURCE = "*";

/** True for an object that is no list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

class Reader {
  readonly policies: FoundPolicy[] = [];
  readonly problems: Problem[] = [];
  readonly unreadable = new Set<string>();
  readonly #fallback: string;

  constructor(fallback: string) {
    this.#fallback = fallback;
  }

  #report(pointer: string, message: string): void {
    this.problems.push({ pointer, message });
  }

  list(value: unknown, pointer: string): void {
    if (!Array.isArray(value)) {
      this.#report(pointer, "must be a list of policies");
      return;
    }
    for (const [index, policy] of value.entries()) this.policy(policy, pointTo(pointer, index));
  }

  policy(value: unknown, pointer: string): void {
    if (!isObject(value)) {
      this.#report(pointer, "must be a policy: an object with name and statement");
      return;
    }
    this.#onlyPolicyFields(value, pointer);
    const given = value["name"] ?? value["id"];
    if (given !== undefined && typeof given !== "string")
      this.#report(pointTo(pointer, "name"), "must be a text");
    const named = typeof given === "string";
    const written = value["statement"];
    if (!Array.isArray(written)) {
      this.#report(pointTo(pointer, "statement"), "must be a list of statements");
      return;
    }
    const statement = written.map((one, index) =>
      this.#statement(one, pointTo(`${pointer}/statement`, index)),
    );
    const known = statement.filter((one) => one !== undefined);
    // Pointers contain the index of a statement, so none may be missing.
    if (known.length < statement.length) return;
    const accept = this.#accept(value["accept"], pointTo(pointer, "accept"));
    this.policies.push({
      name: named ? given : this.#fallback,
      statement: known,
      pointer,
      named,
      ...(accept.length > 0 && { accept }),
    });
  }

  #accept(value: unknown, pointer: string): readonly Acceptance[] {
    if (value === undefined) return [];
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    const sound = list.filter(isAcceptance);
    if (!Array.isArray(value) || sound.length < list.length) {
      this.#report(pointer, "must be a list of {rule, reason}, and sid where one statement is meant");
      return [];
    }
    return sound;
  }

  /** A member of a statement that stands beside the statements is named as such. */
  #onlyPolicyFields(value: JsonObject, pointer: string): void {
    const lost = new Map(
      policyMemberProblems({ ...value, statement: [] }, pointer).map((one) => [one.pointer, one]),
    );
    for (const field of Object.keys(value)) {
      if (POLICY_FIELDS.has(field)) continue;
      const at = pointTo(pointer, field);
      this.#report(at, lost.get(at)?.message ?? "is an unknown field");
    }
  }

  #statement(value: unknown, pointer: string): Statement | undefined {
    if (!isObject(value)) {
      this.#report(pointer, "must be a statement: an object with effect, action and resource");
      return undefined;
    }
    this.problems.push(...statementMemberProblems(value, pointer));
    const before = this.problems.length;
    const { sid, effect, action, resource, condition } = value;
    if (sid !== undefined && typeof sid !== "string") this.#report(pointTo(pointer, "sid"), "must be a text");
    if (typeof effect !== "string") this.#report(pointTo(pointer, "effect"), 'must be "allow" or "deny"');
    if (!isTexts(action)) this.#report(pointTo(pointer, "action"), "must be a list of texts");
    if (typeof resource !== "string") this.#report(pointTo(pointer, "resource"), resourceAdvice(resource));
    const held =
      condition === undefined || condition === null ? undefined : this.#condition(condition, pointer);
    if (this.problems.length > before) this.unreadable.add(pointer);
    return {
      ...(typeof sid === "string" ? { sid } : {}),
      effect: typeof effect === "string" ? effect : "allow",
      action: isTexts(action) ? action : ["*"],
      resource: typeof resource === "string" ? resource : UNREADABLE_RESOURCE,
      ...(held === undefined ? {} : { condition: held }),
    };
  }

  #condition(value: unknown, statement: string): Condition | undefined {
    const at = pointTo(statement, "condition");
    const before = this.problems.length;
    for (const [operator, fields] of entriesOf(value)) {
      if (!isObject(fields))
        this.#report(pointTo(at, operator), "must be an object: field and list of values");
      for (const [field, values] of entriesOf(fields)) {
        if (!isTexts(values)) this.#report(pointTo(pointTo(at, operator), field), "must be a list of texts");
      }
    }
    if (!isObject(value)) this.#report(at, "must be an object: operator, field, list of values");
    return this.problems.length === before ? (value as Condition) : undefined;
  }
}

function isAcceptance(value: unknown): value is Acceptance {
  if (!isObject(value)) return false;
  const { rule, sid, reason, ...more } = value;
  const texts = typeof rule === "string" && typeof reason === "string";
  return texts && (sid === undefined || typeof sid === "string") && Object.keys(more).length === 0;
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function resourceAdvice(resource: unknown): string {
  return Array.isArray(resource)
    ? `must be a text; several resources are a JSON array inside it: ${JSON.stringify(JSON.stringify(resource))}`
    : "must be a text";
}

function resourceTypesOf(value: unknown): ResourceType[] {
  const declared = isObject(value) ? value["resource_types"] : undefined;
  if (!Array.isArray(declared)) return [];
  return declared.filter(
    (one): one is ResourceType =>
      isObject(one) &&
      ["type", "arn", "id"].every((field) => typeof one[field] === "string") &&
      isObject(one["actions"]) &&
      isTexts(Object.values(one["actions"])),
  );
}

/** True for a document that is meant as policies or a data set; false for other JSON and YAML files. */
export function readsAsPolicies({ source: { value } }: Pick<PolicyDocument, "source">): boolean {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (!isObject(first)) return false;
  if (Object.keys(first).some((name) => name.toLowerCase() === "statement")) return true;
  if ("format" in first) return ["policies", "users", "groups"].some((name) => Array.isArray(first[name]));
  const { policies } = first;
  return Array.isArray(policies) && policies.every((one) => isObject(one) && "statement" in one);
}

/**
 * Reads the policies of a document.
 * @param fallback name of a statement document that has none
 */
export function readPolicies(given: DocumentSource, fallback: string): PolicyDocument {
  const source = canonicalSource(given);
  const { value } = source;
  const reader = new Reader(fallback);
  const isDataset = isObject(value) && !("statement" in value) && ("policies" in value || "format" in value);
  if (Array.isArray(value)) reader.list(value, "");
  else if (isDataset) reader.list(value["policies"] ?? [], "/policies");
  else reader.policy(value, "");
  return {
    source,
    policies: reader.policies,
    resourceTypes: resourceTypesOf(value),
    problems: reader.problems,
    unreadable: reader.unreadable,
  };
}
