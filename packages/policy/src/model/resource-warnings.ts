/** Warnings about a resource of a statement that is valid, and most likely not what is meant (spec/evaluation §5). */

import { type Arn, parseArn } from "./arn.ts";
import { ResourceForms } from "./resource-forms.ts";
import type { ResourceType } from "./resource-type.ts";

/** The rules of lint that warn of resources. */
export type ResourceRule =
  | "arn-wildcard"
  | "ignored-region"
  | "resource-variable"
  | "braces"
  | "regular-expression"
  | "unknown-resource";

/** One warning about one resource. */
export interface ResourceWarning {
  readonly rule: ResourceRule;
  readonly message: string;
  /** The resources to write in place of this one. */
  readonly meant?: readonly string[];
}

const USER = "${user}";
const WILDCARD = /[*?]/;
/** Forms in which other systems write a name that is to be filled in. */
const VARIABLES: readonly RegExp[] = [
  /\$\{[^}]*\}/,
  /\{\{[^{}]*\}\}/,
  /\{(?:user|username|user_name|user\.\w+)\}/i,
  /\$(?:user|username)\b/i,
  /<[A-Za-z_. -]+>/,
  /%[A-Za-z_]+%/,
];
/** Signs that only regular expressions have. A name may contain them, but hardly does. */
const EXPRESSION = /\[[^\]]*-[^\]]*\]|\.\*\$|\^|\||\\[a-z.]|\$$/i;
const ALTERNATIVES = /\{([^{}]*)\}/;
/** Most resources that braces are written out to. */
const MOST_MEANT = 8;

/** Judges resources by the types of one vocabulary. */
export class ResourceJudge {
  readonly #partition: string;
  readonly forms: ResourceForms;
  /** Services whose resources have known forms. */
  readonly #services: ReadonlySet<string>;
  /** Words between the values of an ARN, such as `branch` and `object`. */
  readonly #words: ReadonlySet<string>;

  /** Service → the words with which its resources begin, such as `repository`. */
  readonly #kinds = new Map<string, Set<string>>();

  constructor(types: Iterable<ResourceType>, partition: string) {
    const all = [...types];
    this.#partition = partition;
    this.forms = new ResourceForms(all, partition);
    this.#services = new Set(all.map(({ arn }) => arn.split(":")[2] as string));
    for (const { arn } of all) {
      const [, , service = "", , , path = ""] = arn.split(":");
      const [kind = "", value] = path.split("/");
      if (value === undefined) continue;
      const kinds = this.#kinds.get(service) ?? new Set();
      this.#kinds.set(service, kinds.add(kind));
    }
    this.#words = new Set(
      all.flatMap(({ arn }) =>
        arn
          .slice(arn.lastIndexOf(":") + 1)
          .split("/")
          .slice(1)
          .filter((part) => !part.startsWith("{")),
      ),
    );
  }

  /** Warnings about one resource; none for `*` and for a text that is no ARN. */
  *warnings(resource: string): Generator<ResourceWarning> {
    const arn = parseArn(resource, this.#partition);
    if (arn === undefined) return;
    yield* ofFields(arn);
    const variable = variableIn(resource);
    if (variable !== undefined) return yield ofVariable(resource, variable);
    if (ALTERNATIVES.test(resource.replaceAll(USER, ""))) return yield ofBraces(resource);
    const sign = EXPRESSION.exec(resource.replaceAll(USER, ""))?.[0];
    if (sign !== undefined) return yield ofExpression(sign);
    const several = resource.split(/,\s*(?=arn:)/);
    if (several.length > 1) return yield ofSeveral(several);
    if (this.#services.has(arn.service)) yield* this.#ofForm(resource, arn);
  }

  *#ofForm(resource: string, arn: Arn): Generator<ResourceWarning> {
    const rule = "unknown-resource";
    if (resource.endsWith(":*")) {
      const message = "the wildcard stands behind a colon, which is part of a name";
      return yield { rule, message, meant: [`${resource.slice(0, -":*".length)}/*`] };
    }
    const kinds = this.#kinds.get(arn.service);
    if (kinds?.has(arn.resource.replace(/\/$/, "")) === true) {
      const message = "names a kind of resources, and none of them";
      return yield { rule, message, meant: [`${resource.replace(/\/$/, "")}/*`] };
    }
    const filled = resource.replaceAll(USER, "user");
    if (this.forms.typesOf(filled).length === 0) {
      const meant = this.forms.meant(filled).map((one) => one.replaceAll("/user/", `/${USER}/`));
      const keeps = filled === resource ? meant : [];
      return yield {
        rule,
        message: "no resource type has ARNs of this form",
        ...(keeps.length > 0 && { meant: keeps }),
      };
    }
    const [kind = "", name, word = "", value, inner = "", ...rest] = arn.resource.split("/");
    if (value === undefined || word === inner || WILDCARD.test(value)) return;
    if (!this.#words.has(word) || !this.#words.has(inner)) return;
    const head = resource.slice(0, resource.length - arn.resource.length);
    const below = [kind, name, inner, ...rest].join("/");
    const message = `names a ${word} called ${[value, inner, ...rest].join("/")}: the ARN of ${/^[aeiou]/.test(inner) ? "an" : "a"} ${inner} has no ${word}`;
    yield { rule, message, meant: [head + below] };
  }
}

function* ofFields(arn: Arn): Generator<ResourceWarning> {
  const field = (["service", "account"] as const).find((name) => WILDCARD.test(arn[name]));
  if (field !== undefined) {
    const message = `the ${field} of an ARN cannot have wildcards: this resource matches nothing`;
    yield { rule: "arn-wildcard", message };
  }
  if (arn.region !== "")
    yield { rule: "ignored-region", message: "the region of an ARN is ignored when ARNs are compared" };
}

/** The first text that looks like a variable and is none. */
function variableIn(resource: string): string | undefined {
  const rest = resource.replaceAll(USER, "");
  return VARIABLES.map((form) => form.exec(rest)?.[0]).find((found) => found !== undefined);
}

function ofVariable(resource: string, variable: string): ResourceWarning {
  const rule = "resource-variable";
  const message = `${variable} is ordinary text in a resource; only ${USER} is replaced, with the name of the user`;
  return /user/i.test(variable)
    ? { rule, message, meant: [resource.replaceAll(variable, USER)] }
    : { rule, message };
}

function ofExpression(sign: string): ResourceWarning {
  const message = `${sign} is ordinary text in a resource: only * (any text) and ? (one character) are not, and a JSON array has alternatives`;
  return { rule: "regular-expression", message };
}

function ofSeveral(several: readonly string[]): ResourceWarning {
  const message = "is one text with several ARNs: together they name one resource";
  return { rule: "unknown-resource", message, meant: several };
}

function ofBraces(resource: string): ResourceWarning {
  const message = "braces are ordinary text in a resource: write one resource for each alternative";
  const [whole = "", inside = ""] = ALTERNATIVES.exec(resource.replaceAll(USER, "")) ?? [];
  const alternatives = inside.split(",").map((one) => one.trim());
  if (alternatives.length === 1) {
    const unfilled = `${whole} is ordinary text in a resource: write the name that is meant, or * for any`;
    return { rule: "resource-variable", message: unfilled };
  }
  const isList = alternatives.length > 1 && alternatives.length <= MOST_MEANT;
  return {
    rule: "braces",
    message,
    ...(isList && { meant: alternatives.map((one) => resource.replace(whole, () => one)) }),
  };
}
