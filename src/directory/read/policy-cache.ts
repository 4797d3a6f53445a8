/** Parsed policies, so that users who share a policy share its statements in memory. */

import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import { LRUCache } from "lru-cache";
import type { StoredRecord } from "../../store/port.ts";
import type { PolicyRecord } from "../records/layout.ts";

/** Most stored text, in UTF-16 units, whose parsed form is kept. */
const MAX_TEXT = 16 * 1024 * 1024;

/** Most text, in UTF-16 units, of lists of actions that policies may share. Sharing saves memory and changes no result. */
const MAX_SHARED_TEXT = 1024 * 1024;

/**
 * Finds the parsed policy by what the store says (name and stored version) without parsing, and by id and revision
 * where the text was rewritten without a change.
 */
export class PolicyCache {
  readonly #byStored = new LRUCache<string, PolicyRecord>({ maxSize: MAX_TEXT });
  readonly #byRevision = new LRUCache<string, PolicyRecord>({ maxSize: MAX_TEXT });
  readonly #actions = new LRUCache<string, readonly string[]>({ maxSize: MAX_SHARED_TEXT });

  /** The policy in a stored record; the same object for the same id and revision. */
  decode(name: string, { value, version }: StoredRecord): PolicyRecord {
    const storedKey = `${version}\n${name}`;
    const known = this.#byStored.get(storedKey);
    if (known !== undefined) return known;
    const parsed = this.#sharing(parseJsonText(value) as PolicyRecord);
    const revisionKey = `${parsed.id}\n${parsed.rev}`;
    const policy = this.#byRevision.get(revisionKey) ?? parsed;
    const size = value.length + storedKey.length;
    this.#byRevision.set(revisionKey, policy, { size });
    this.#byStored.set(storedKey, policy, { size });
    return policy;
  }

  /** The same policy; its statements share equal lists of actions with others, which they mostly have. */
  #sharing(policy: PolicyRecord): PolicyRecord {
    return {
      ...policy,
      statement: policy.statement.map((one) => ({ ...one, action: this.#shared(one.action) })),
    };
  }

  #shared(actions: readonly string[]): readonly string[] {
    const key = JSON.stringify(actions);
    const known = this.#actions.get(key);
    if (known !== undefined) return known;
    this.#actions.set(key, actions, { size: key.length });
    return actions;
  }
}
