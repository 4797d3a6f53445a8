/** Parsed policies, so that users who share a policy share its statements in memory. */

import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import { LRUCache } from "lru-cache";
import type { StoredRecord } from "../../store/port.ts";
import type { PolicyRecord } from "../records/layout.ts";

/** Most stored text, in UTF-16 units, whose parsed form is kept, in two halves: what was used, and what was used before. */
const MAX_TEXT = 16 * 1024 * 1024;

/** Most text, in UTF-16 units, of lists of actions that policies may share. Sharing saves memory and changes no result. */
const MAX_SHARED_TEXT = 1024 * 1024;

/** A policy before anybody reads it. */
interface NewlyParsed {
  readonly statement: readonly { action: readonly string[] }[];
}

interface Parsed {
  readonly text: string;
  readonly policy: PolicyRecord;
}

/**
 * Finds the parsed policy by its name. What was parsed is compared with what is stored: the version does not say it, because
 * a store that was restored gives the same revisions to other policies.
 */
export class PolicyCache {
  #used = new Map<string, Parsed>();
  #usedText = 0;
  #before = new Map<string, Parsed>();
  /** The list of the statement before: many in a row have the same. */
  #last: readonly string[] = [];
  readonly #actions = new LRUCache<string, readonly string[]>({ maxSize: MAX_SHARED_TEXT });

  /** The policy in a stored text; the same object for the same text, the same statements for the same id and revision. */
  decode(name: string, { value }: StoredRecord): PolicyRecord {
    const used = this.#used.get(name);
    if (used?.text === value) return used.policy;
    const known = used ?? this.#before.get(name);
    const policy = known?.text === value ? known.policy : this.#parsed(value, known?.policy);
    this.#keep(name, { text: value, policy });
    return policy;
  }

  #keep(name: string, parsed: Parsed): void {
    this.#used.set(name, parsed);
    this.#usedText += name.length + parsed.text.length;
    if (this.#usedText < MAX_TEXT / 2) return;
    this.#before = this.#used;
    this.#used = new Map();
    this.#usedText = 0;
  }

  #parsed(text: string, known: PolicyRecord | undefined): PolicyRecord {
    const parsed = parseJsonText(text);
    const policy = parsed as PolicyRecord;
    const isSame = known !== undefined && known.id === policy.id && known.rev === policy.rev;
    if (isSame) return { ...policy, statement: known.statement };
    // Nobody else has seen these objects yet.
    for (const one of (parsed as NewlyParsed).statement) one.action = this.#shared(one.action);
    return policy;
  }

  /** The same list of actions for all statements that have it, as most do. */
  #shared(actions: readonly string[]): readonly string[] {
    if (!isSame(actions, this.#last)) this.#last = this.#sharedByText(actions);
    return this.#last;
  }

  #sharedByText(actions: readonly string[]): readonly string[] {
    const key = JSON.stringify(actions);
    const known = this.#actions.get(key);
    if (known !== undefined) return known;
    this.#actions.set(key, actions, { size: key.length });
    return actions;
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((action, position) => action === b[position]);
}
