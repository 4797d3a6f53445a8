/** The forms of ARNs that resource types have: which type an ARN is of, and which ARNs a short or mistyped text means. */

import { parseArn } from "./arn.ts";
import { closestName } from "./closest-name.ts";
import type { ResourceType } from "./resource-type.ts";

/** The form of one type. */
interface Form {
  readonly type: string;
  readonly arn: string;
  /** `arn:svc:fs:::` */
  readonly head: string;
  /** The parts between the slashes of the last field; a value is undefined. */
  readonly parts: readonly (string | undefined)[];
  /** False where another type lies below this one: its last value is one part then. */
  readonly takesRest: boolean;
}

/** `arn:svc:fs:::repository/sales` → the first five fields with the colons, and the rest. */
const ARN = /^(arn:[^:]*:[^:]*:[^:]*:[^:]*:)(.*)$/s;
const URI = /^[a-z][a-z0-9+.-]*:\/\//;
const VALUE = /^\{[^{}]*\}$/;

function formOf({ type, arn }: ResourceType, all: readonly ResourceType[]): Form {
  const [, head = "", path = ""] = ARN.exec(arn) ?? [];
  const parts = path.split("/").map((part) => (VALUE.test(part) ? undefined : part));
  return { type, arn, head, parts, takesRest: !all.some((other) => other.arn.startsWith(`${arn}/`)) };
}

/** The forms of the types of one partition. */
export class ResourceForms {
  readonly #partition: string;
  readonly #forms: readonly Form[];

  constructor(types: Iterable<ResourceType>, partition: string) {
    const all = [...types];
    this.#partition = partition;
    this.#forms = all.map((type) => formOf(type, all));
  }

  /** The types whose ARNs can have this one, or this pattern; none for a text that is no ARN of the partition. */
  typesOf(arn: string): readonly string[] {
    const parsed = parseArn(arn, this.#partition);
    if (parsed === undefined) return [];
    const [, , , , , ...last] = arn.split(":");
    const parts = last.join(":").split("/");
    const head = `arn:${parsed.partition}:${parsed.service}:`;
    return this.#forms
      .filter((form) => form.head.startsWith(head) && fits(form, parts))
      .map(({ type }) => type);
  }

  /**
   * The ARNs that a text can mean, the likeliest first: an id (`sales/2026/x.csv`), an ARN without its beginning, or one
   * with a missing or mistyped word.
   * @param types names of the types to try; default: all
   */
  meant(text: string, types?: readonly string[]): readonly string[] {
    const [, head = "", path = text] = ARN.exec(text) ?? [];
    const service = head.split(":")[2];
    const found = this.#forms
      .filter((form) => types?.includes(form.type) ?? true)
      .filter((form) => service === undefined || form.head.split(":")[2] === service)
      .flatMap((form) => filled(form, path, types !== undefined) ?? [])
      .sort((a, b) => b.words - a.words);
    return [...new Set(found.map(({ arn }) => arn))].filter((arn) => arn !== text);
  }

  /** The form of a type's ARNs, with names in braces; undefined for an unknown type. */
  arnOf(type: string): string | undefined {
    return this.#forms.find((form) => form.type === type)?.arn;
  }
}

/** Segment by segment; a part with wildcards fits what it can match. */
function fits({ parts, takesRest }: Form, given: readonly string[]): boolean {
  for (const [index, part] of parts.entries()) {
    const text = given[index];
    if (text === undefined) return false;
    // A star stands for slashes as well: whatever follows can be in it.
    if (text.includes("*") && (part === undefined || patternFits(text, part))) {
      if (index === given.length - 1 || part === undefined) return true;
    }
    if (part === undefined ? text === "" : text !== part && !patternFits(text, part)) return false;
  }
  return takesRest ? given.length >= parts.length : given.length === parts.length;
}

function patternFits(pattern: string, word: string): boolean {
  if (!/[*?]/.test(pattern)) return false;
  const begin = /^[^*?]*/.exec(pattern)?.[0] ?? "";
  return word.startsWith(begin);
}

/** An ARN, and the number of words of its form that the text had. */
interface Filled {
  readonly arn: string;
  readonly words: number;
}

/**
 * The ARN of a form with the values that a text gives; words of the form may be absent or mistyped.
 * @param isWanted true if no other form comes into question
 */
function filled({ head, parts, takesRest }: Form, path: string, isWanted: boolean): Filled | undefined {
  const isSingle = parts.filter((part) => part === undefined).length === 1;
  // A name in another system, such as the address of a bucket, is one value.
  if (URI.test(path)) {
    return isSingle && takesRest && isWanted ? { arn: `${head}${parts[0]}/${path}`, words: 0 } : undefined;
  }
  const given = path.split("/");
  const done: string[] = [];
  let [at, words] = [0, 0];
  for (const [index, part] of parts.entries()) {
    const text = given[at];
    if (part !== undefined) {
      done.push(part);
      // Only where enough parts are left for the values: a repository may be named as a word is.
      const values = parts.slice(index).filter((one) => one === undefined).length;
      if (text === undefined || given.length - at <= values || !isWord(text, part)) continue;
      at++;
      words++;
      continue;
    }
    if (text === undefined || text === "") return undefined;
    const rest = index === parts.length - 1 && takesRest ? given.slice(at) : [text];
    if (rest.length > 1 && isSingle && words === 0 && !isWanted) return undefined;
    done.push(...rest);
    at += rest.length;
  }
  return at < given.length ? undefined : { arn: head + done.join("/"), words };
}

function isWord(text: string, word: string): boolean {
  return text === word || closestName(text, [word]) !== undefined;
}
