/**
 * Judges a question (an action, a resource, or both) against what is known: the catalog, and the resource types that data
 * sets add. A question that no service ever asks is answered "nobody", which looks like an answer and is a mistake.
 */

import { closestName } from "./closest-name.ts";
import type { KnownAction, Vocabulary } from "./policy-warnings.ts";
import { ResourceForms } from "./resource-forms.ts";
import type { ResourceType } from "./resource-type.ts";

/** A question; a part that is absent is not judged. */
export interface AskedQuestion {
  /** `service:Verb`; of a {@link type} also one of its short names. */
  readonly action?: string;
  /** A resource type, for questions about all resources of it. */
  readonly type?: string;
  /** ARN, or `*`. */
  readonly resource?: string;
}

/** A reason why a question may have no answer. */
export interface QuestionDoubt {
  /** The part that is doubtful; `pair`: each part is known, and they do not go together. */
  readonly part: "action" | "type" | "resource" | "pair";
  /** One sentence without its end. */
  readonly message: string;
  /** Texts that may be meant in place of the part (of a pair: of the resource), the likeliest first. */
  readonly meant: readonly string[];
}

const WILDCARD = /[*?]/;
/** Most texts of {@link QuestionDoubt.meant}. */
const MOST_MEANT = 8;
/** Longer texts are judged by their form alone. */
const LONGEST = 2_048;
/** Most characters of a text in a message. */
const MOST_SHOWN = 300;
const EVERYTHING = "*";
/** The type that stands for every ARN. */
const EVERY_TYPE = "arn";

/** The vocabulary with the resource types and actions of data sets. */
export function withDeclaredTypes(vocabulary: Vocabulary, declared: Iterable<ResourceType>): Vocabulary {
  const actions = new Map(vocabulary.actions);
  const resourceTypes = new Map(vocabulary.resourceTypes);
  for (const type of declared) {
    resourceTypes.set(type.type, type);
    for (const name of Object.values(type.actions)) {
      const known = actions.get(name);
      actions.set(name, {
        name,
        service: name.split(":")[0] as string,
        requiredByAnEndpoint: true,
        ...((known === undefined || known.declared === true) && { declared: true }),
        resources: [...new Set([...(known?.resources ?? []), type.type])],
      });
    }
  }
  return { partition: vocabulary.partition, actions, resourceTypes };
}

/** Vocabulary → its judge, which takes a pass over all types to make. */
const JUDGES = new WeakMap<Vocabulary, QuestionJudge>();

/** The judge of a vocabulary, which does not change. */
export function questionJudge(vocabulary: Vocabulary): QuestionJudge {
  const known = JUDGES.get(vocabulary) ?? new QuestionJudge(vocabulary);
  JUDGES.set(vocabulary, known);
  return known;
}

/** Judges questions. */
export class QuestionJudge {
  readonly #vocabulary: Vocabulary;
  readonly #services: ReadonlySet<string>;
  readonly forms: ResourceForms;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
    this.forms = new ResourceForms(vocabulary.resourceTypes.values(), vocabulary.partition);
    this.#services = new Set([
      ...[...vocabulary.actions.values()].map(({ service }) => service),
      ...[...vocabulary.resourceTypes.values()].map(({ arn }) => arn.split(":")[2] as string),
    ]);
  }

  /** The doubts about a question; none for one that a service can ask. */
  doubts({ action: given, type, resource }: AskedQuestion): readonly QuestionDoubt[] {
    const found: QuestionDoubt[] = [];
    const add = (part: QuestionDoubt["part"], message: string, meant: readonly string[] = []): void => {
      found.push({ part, message, meant: [...new Set(meant)].slice(0, MOST_MEANT) });
    };
    const action = type === undefined ? given : this.#actionOf(type, given, add);
    const known = action === undefined ? undefined : this.#vocabulary.actions.get(action);
    if (action !== undefined && known === undefined) this.#judgeAction(action, resource, add);
    if (known?.requiredByAnEndpoint === false) add("action", `no endpoint requires ${known.name}`);
    if (resource !== undefined) this.#judgeResource(resource, known, add);
    return found;
  }

  /** The whole name of an action of a type; undefined where there is none, which is a doubt, or none was asked. */
  #actionOf(type: string, action: string | undefined, add: Add): string | undefined {
    if (type === EVERY_TYPE) return action;
    const known = this.#vocabulary.resourceTypes.get(type);
    if (known === undefined) {
      const meant = closestName(type, this.#vocabulary.resourceTypes.keys());
      add("type", `there is no resource type ${shown(type)}`, meant === undefined ? [] : [meant]);
      return action?.includes(":") === true ? action : undefined;
    }
    if (action === undefined) return undefined;
    const { actions } = known;
    if (action.includes(":")) {
      const isAsked = Object.values(actions).includes(action);
      if (!isAsked && this.#vocabulary.actions.get(action)?.resources.includes(type) === false)
        add("pair", `${action} is not asked about resources of the type ${type}`);
      return action;
    }
    if (Object.hasOwn(actions, action)) return actions[action];
    const close = closestName(action, Object.keys(actions));
    const meant = close === undefined ? Object.keys(actions) : [close];
    add("action", `the resource type ${type} has no action ${shown(action)}`, meant);
    return undefined;
  }

  #judgeAction(action: string, resource: string | undefined, add: Add): void {
    const names = [...this.#vocabulary.actions.keys()];
    if (WILDCARD.test(action)) {
      const meant = names.filter((name) => isLike(action, name));
      return void add(
        "action",
        `a question names one action; the wildcards of ${shown(action)} are taken as they stand`,
        meant,
      );
    }
    if (!action.includes(":")) {
      const meant = this.#spelledOut(action, resource);
      return void add("action", `${shown(action)} is no action: one is written service:Verb`, meant);
    }
    const exact = names.filter((name) => name.toLowerCase() === action.toLowerCase());
    const closest = exact[0] ?? closestName(action, names);
    const [service = ""] = action.split(":");
    const meant = closest === undefined ? [] : [closest];
    if (this.#services.has(service)) return void add("action", `there is no action ${shown(action)}`, meant);
    add(
      "action",
      `no service ${shown(service)} is known, so it is not known whether ${shown(action)} exists`,
      meant,
    );
  }

  /** The actions that a short name such as `write` stands for; those of the resource's type first. */
  #spelledOut(name: string, resource: string | undefined): readonly string[] {
    if (name === "") return [];
    const lower = name.toLowerCase();
    const { actions, resourceTypes } = this.#vocabulary;
    const types = resource === undefined ? [] : this.forms.typesOf(resource);
    const ordered = [...resourceTypes.values()].sort(
      (a, b) => Number(types.includes(b.type)) - Number(types.includes(a.type)),
    );
    const short = ordered.flatMap((type) =>
      Object.entries(type.actions).flatMap(([key, action]) => (key === lower ? [action] : [])),
    );
    const verbs = [...actions.keys()].filter((one) => one.split(":")[1]?.toLowerCase().startsWith(lower));
    const found = [...short, ...verbs];
    const close = closestName(
      name,
      [...actions.keys()].map((one) => one.split(":")[1] as string),
    );
    return found.length > 0 || close === undefined
      ? found
      : [...actions.keys()].filter((one) => one.endsWith(`:${close}`));
  }

  #judgeResource(resource: string, action: KnownAction | undefined, add: Add): void {
    const kinds = action?.resources;
    if (resource === EVERYTHING) {
      if (kinds !== undefined && !kinds.includes(EVERYTHING))
        add("pair", `${action?.name} is asked about ${this.#kindsText(kinds)}, never about "*"`);
      return;
    }
    if (resource.length > LONGEST) return;
    const types = this.forms.typesOf(resource);
    if (WILDCARD.test(resource))
      add(
        "resource",
        `a question names one resource; the wildcards of ${shown(resource)} are taken as they stand`,
      );
    if (types.length === 0) return void this.#judgeUnknown(resource, kinds, add);
    if (kinds === undefined || types.some((type) => kinds.includes(type)) || this.#mayBeOther(kinds)) return;
    const named = `${/^[aeiou]/i.test(types[0] as string) ? "an" : "a"} ${types.join(" or ")}`;
    add("pair", `${action?.name} is asked about ${this.#kindsText(kinds)}; this ARN names ${named}`);
  }

  #judgeUnknown(resource: string, kinds: readonly string[] | undefined, add: Add): void {
    const { partition } = this.#vocabulary;
    const [scheme, given, service = ""] = resource.split(":");
    const ofKinds = kinds === undefined ? [] : this.forms.meant(resource, kinds);
    const meant = ofKinds.length > 0 ? ofKinds : this.forms.meant(resource);
    if (scheme !== "arn") return void add("resource", `${shown(resource)} is no ARN`, meant);
    if (given !== partition) {
      const ours = resource.replace(/^arn:[^:]*:/, `arn:${partition}:`);
      const isKnown = this.forms.typesOf(ours).length > 0;
      return void add("resource", `ARNs here begin with arn:${partition}:`, isKnown ? [ours] : meant);
    }
    // Kinds without a type, and services that nobody declared, have forms that are not known.
    if (!this.#services.has(service))
      return void add("resource", `no service ${shown(service)} is known`, meant);
    if (kinds !== undefined && this.#mayBeOther(kinds)) return;
    add("resource", `no resource type has ARNs of the form of ${shown(resource)}`, meant);
  }

  /** True for kinds whose ARNs nobody declared. */
  #mayBeOther(kinds: readonly string[]): boolean {
    return kinds.some((kind) => kind !== EVERYTHING && !this.#vocabulary.resourceTypes.has(kind));
  }

  #kindsText(kinds: readonly string[]): string {
    return kinds.map((kind) => (kind === EVERYTHING ? '"*"' : (this.forms.arnOf(kind) ?? kind))).join(" or ");
  }
}

type Add = (part: QuestionDoubt["part"], message: string, meant?: readonly string[]) => void;

/** A text of the question in a message. */
function shown(text: string): string {
  return text === "" ? "the empty text" : text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

function isLike(pattern: string, name: string): boolean {
  const [begin = ""] = pattern.split(/[*?]/);
  return name.startsWith(begin) && name.endsWith(pattern.split(/[*?]/).at(-1) ?? "");
}

/** A doubt as a text for people: the message, and what may be meant. */
export function doubtText({ message, meant }: QuestionDoubt): string {
  if (meant.length === 0) return message;
  const [last, ...others] = [...meant].reverse();
  const listed = others.length === 0 ? last : `${others.reverse().join(", ")} or ${last}`;
  return `${message} (did you mean ${listed}?)`;
}
