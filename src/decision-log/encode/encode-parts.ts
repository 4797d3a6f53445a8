/** The parts of records as JSON texts, each made once for as long as its source lives. */

import type { CompiledPolicies } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { type CompiledStatement, nameOf } from "@svc-authorizer/policy/engine/statement.ts";
import {
  type Assertion,
  type ConditionFields,
  type FieldValue,
  UNREADABLE,
} from "@svc-authorizer/policy/model/decision.ts";
import type { AskingCall, DecidingPolicies } from "../../decisions/decision-log.ts";
import { rememberLast } from "../../remember-last.ts";
import { flat, jsonText, quoted } from "./json-text.ts";

/** Number of callers whose text is remembered. */
const MOST_CALLERS = 1_000;
/** Longest text of a condition field that a record has, in characters; of longer ones it says the length. */
const LONGEST_FIELD = 4_096;
const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;
const SUBJECT_PREFIX = "subject.";

/** Makes texts of statements, condition fields and callers. */
export class RecordParts {
  // By user: the ways in which a policy reaches them differ between users with the same policies.
  readonly #texts = new WeakMap<DecidingPolicies, UserTexts>();
  readonly #fields = new WeakMap<CompiledPolicies, ReadFields>();
  readonly #callers = new Map<string, string>();
  /** A server asks again and again. */
  readonly #caller = rememberLast((name: string) =>
    rememberLast((peer: string | undefined) => this.#findCaller(name, peer)),
  );

  /** `{"policy":…,"statement":…,"via":[…]}`. */
  statement(statement: CompiledStatement, loaded: DecidingPolicies): string {
    const { statements: known } = this.#textsOf(loaded);
    let text = known.get(statement);
    if (text === undefined) {
      text = JSON.stringify({ ...nameOf(statement), via: loaded.via(statement.policy.name) });
      known.set(statement, text);
    }
    return text;
  }

  #textsOf(loaded: DecidingPolicies): UserTexts {
    let texts = this.#texts.get(loaded);
    if (texts === undefined) {
      texts = {
        statements: new Map(),
        subjectOf: rememberLast((id) => rememberLast((type) => subjectText(id, type, loaded.asserted))),
      };
      this.#texts.set(loaded, texts);
    }
    return texts;
  }

  /** `,"caller":{…}`. */
  caller(call: AskingCall | undefined, peer = call?.peer): string {
    return this.#caller(call?.caller.name ?? "")(peer);
  }

  /** `,"request_id":…`, and `,"trace_id":…` where the caller sent one. */
  asked(call: AskingCall | undefined, requestId: string): string {
    const trace = call?.traceParent === undefined ? undefined : TRACE_PARENT.exec(call.traceParent)?.[1];
    const known = `,"request_id":"${quoted(requestId)}"`;
    return trace === undefined ? known : `${known},"trace_id":"${trace}"`;
  }

  #findCaller(name: string, peer: string | undefined): string {
    const key = `${name}\n${peer ?? ""}`;
    let text = this.#callers.get(key);
    if (text === undefined) {
      text = `,"caller":${JSON.stringify({ name, ...(peer === undefined ? {} : { peer }) })}`;
      if (this.#callers.size >= MOST_CALLERS) this.#callers.clear();
      this.#callers.set(key, text);
    }
    return text;
  }

  /**
   * `,"subject":{…}`, with the properties of the subject that conditions read.
   * @param asserted whose groups decided, where no policies are given
   */
  subject(
    id: string | null,
    type: string | undefined,
    loaded: DecidingPolicies | undefined,
    context: ConditionFields,
    asserted?: Assertion,
  ): string {
    const start =
      loaded === undefined ? subjectText(id, type, asserted) : this.#textsOf(loaded).subjectOf(id)(type);
    const policies = loaded?.policies;
    if (policies === undefined || !policies.readsContext) return `${start}}`;
    const properties = fieldsText(this.#fieldsRead(policies).subject, context);
    return properties === "" ? `${start}}` : `${start},"properties":${properties}}`;
  }

  /** `,"context":{…}`: the fields that conditions read, and the address of the client; "" if there is none. */
  context(policies: CompiledPolicies | undefined, context: ConditionFields): string {
    const { others } =
      policies === undefined || !policies.readsContext ? ONLY_ADDRESS : this.#fieldsRead(policies);
    const text = fieldsText(others, context);
    return text === "" ? "" : `,"context":${text}`;
  }

  #fieldsRead(policies: CompiledPolicies): ReadFields {
    let fields = this.#fields.get(policies);
    if (fields === undefined) {
      const read = policies.statements.flatMap(({ condition }) => [...(condition?.reads ?? [])]);
      const names = [...new Set([ADDRESS, ...read])];
      const isOfSubject = (name: string) => name.startsWith(SUBJECT_PREFIX);
      fields = {
        subject: names.filter(isOfSubject).map((name) => fieldOf(name, SUBJECT_PREFIX.length)),
        others: names.filter((name) => !isOfSubject(name)).map((name) => fieldOf(name)),
      };
      this.#fields.set(policies, fields);
    }
    return fields;
  }
}

/** Texts about a user. */
interface UserTexts {
  readonly statements: Map<CompiledStatement, string>;
  /** `,"subject":{…` of a name and a type. */
  readonly subjectOf: (id: string | null) => (type: string | undefined) => string;
}

function subjectText(id: string | null, type: string | undefined, asserted: Assertion | undefined): string {
  const assertedText = asserted === undefined ? "" : `,"asserted":${JSON.stringify(asserted)}`;
  return flat(
    ',"subject":{"type":',
    type === undefined ? '"user"' : JSON.stringify(type),
    ',"id":',
    id === null ? "null" : jsonText(id),
    assertedText,
  );
}

/** A condition field, and its name as a member. */
interface ReadField {
  readonly name: string;
  readonly member: string;
}

/** The fields that policies read: the properties of the subject, and the others. */
interface ReadFields {
  readonly subject: readonly ReadField[];
  readonly others: readonly ReadField[];
}

/** @param cut characters of the name that the member lacks */
function fieldOf(name: string, cut = 0): ReadField {
  return { name, member: `${JSON.stringify(name.slice(cut))}:` };
}

const ADDRESS = "SourceIp";
const ONLY_ADDRESS: ReadFields = { subject: [], others: [fieldOf(ADDRESS)] };

/** The fields that a context has, as a JSON object; "" if it has none of them. */
function fieldsText(fields: readonly ReadField[], context: ConditionFields): string {
  let text = "";
  for (const { name, member } of fields) {
    const value = context.get(name);
    if (value !== undefined) text += (text === "" ? "{" : ",") + member + valueText(value);
  }
  return text === "" ? "" : `${text}}`;
}

function valueText(value: FieldValue): string {
  if (value === UNREADABLE) return "null";
  return typeof value === "string" ? jsonText(shortened(value)) : JSON.stringify(value.map(shortened));
}

function shortened(text: string): string {
  return text.length <= LONGEST_FIELD ? text : `(${text.length} characters)`;
}
