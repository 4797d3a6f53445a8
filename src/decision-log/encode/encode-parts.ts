/** The parts of records as JSON texts, each made once for as long as its source lives. */

import type { CompiledPolicies } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { type CompiledStatement, nameOf } from "@svc-authorizer/policy/engine/statement.ts";
import { type ConditionFields, UNREADABLE } from "@svc-authorizer/policy/model/decision.ts";
import type { AskingCall, DecidingPolicies } from "../../decisions/decision-log.ts";
import { rememberLast } from "../../remember-last.ts";
import { jsonText } from "./json-text.ts";

/** Number of callers whose text is remembered. */
const MOST_CALLERS = 1_000;
/** Longest text of a condition field that a record has, in characters; of longer ones it says the length. */
const LONGEST_FIELD = 4_096;
const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;
const SUBJECT_PREFIX = "subject.";

/** Makes texts of statements, condition fields and callers. */
export class RecordParts {
  // By user: the ways in which a policy reaches them differ between users with the same policies.
  readonly #statements = new WeakMap<DecidingPolicies, Map<CompiledStatement, string>>();
  readonly #fields = new WeakMap<CompiledPolicies, readonly string[]>();
  readonly #callers = new Map<string, string>();
  /** A server asks again and again. */
  readonly #caller = rememberLast((name: string) =>
    rememberLast((peer: string | undefined) => this.#findCaller(name, peer)),
  );

  /** `{"policy":…,"statement":…,"via":[…]}`. */
  statement(statement: CompiledStatement, loaded: DecidingPolicies): string {
    let known = this.#statements.get(loaded);
    if (known === undefined) {
      known = new Map();
      this.#statements.set(loaded, known);
    }
    let text = known.get(statement);
    if (text === undefined) {
      text = JSON.stringify({ ...nameOf(statement), via: loaded.via(statement.policy.name) });
      known.set(statement, text);
    }
    return text;
  }

  /** `,"caller":{…},"request_id":…`, and `,"trace_id":…` where the caller sent one. */
  asked(call: AskingCall | undefined, requestId: string, peer = call?.peer): string {
    const caller = this.#caller(call?.caller.name ?? "")(peer);
    const trace = call?.traceParent === undefined ? undefined : TRACE_PARENT.exec(call.traceParent)?.[1];
    const known = `${caller},"request_id":${jsonText(requestId)}`;
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

  /** `,"subject":{…}`, with the properties of the subject that conditions read. */
  subject(
    id: string | null,
    type: string | undefined,
    loaded: DecidingPolicies | undefined,
    context: ConditionFields,
  ): string {
    const asserted = loaded?.asserted === undefined ? "" : `,"asserted":${JSON.stringify(loaded.asserted)}`;
    const policies = loaded?.policies;
    const start = `,"subject":{"type":${type === undefined ? '"user"' : JSON.stringify(type)},"id":${id === null ? "null" : jsonText(id)}${asserted}`;
    if (policies === undefined || !policies.readsContext) return `${start}}`;
    const names = this.#fieldsRead(policies).filter((name) => name.startsWith(SUBJECT_PREFIX));
    const properties = fieldsText(names, context, SUBJECT_PREFIX.length);
    return properties === "" ? `${start}}` : `${start},"properties":${properties}}`;
  }

  /** `,"context":{…}`: the fields that conditions read, and the address of the client; "" if there is none. */
  context(policies: CompiledPolicies | undefined, context: ConditionFields): string {
    const read = policies === undefined || !policies.readsContext ? ONLY_ADDRESS : this.#fieldsRead(policies);
    const text = fieldsText(
      read.filter((name) => !name.startsWith(SUBJECT_PREFIX)),
      context,
      0,
    );
    return text === "" ? "" : `,"context":${text}`;
  }

  #fieldsRead(policies: CompiledPolicies): readonly string[] {
    let names = this.#fields.get(policies);
    if (names === undefined) {
      const read = policies.statements.flatMap(({ condition }) => [...(condition?.reads ?? [])]);
      names = [...new Set([...ONLY_ADDRESS, ...read])];
      this.#fields.set(policies, names);
    }
    return names;
  }
}

const ONLY_ADDRESS: readonly string[] = ["SourceIp"];

/** The fields that a context has, as a JSON object; "" if it has none of them. */
function fieldsText(names: readonly string[], context: ConditionFields, cut: number): string {
  let text = "";
  for (const name of names) {
    const value = context.get(name);
    if (value === undefined) continue;
    const shown =
      value === UNREADABLE ? null : typeof value === "string" ? shortened(value) : value.map(shortened);
    text += `${text === "" ? "{" : ","}${JSON.stringify(name.slice(cut))}:${JSON.stringify(shown)}`;
  }
  return text === "" ? "" : `${text}}`;
}

function shortened(text: string): string {
  return text.length <= LONGEST_FIELD ? text : `(${text.length} characters)`;
}
