/** The hot path of authorization: effective policies of a user, as pages whose text is kept while nothing changes. */

import { LRUCache } from "lru-cache";
import type { Decisions } from "../../decisions/decisions.ts";
import type { PageRequest } from "../../directory/directory.ts";
import { AuthorizerError } from "../../errors.ts";
import type { Query } from "../../http/request/query.ts";
import type { Reply } from "../../http/route.ts";
import type { Policy } from "../../model/policy.ts";
import { pageOf, pageOfSorted, pageText } from "../rest/pages.ts";
import { policyBody } from "./shapes.ts";

/** UTF-16 units of answers that are kept. */
const MAX_KEPT_UNITS = 16 * 1024 * 1024;

interface KeptPage {
  readonly policies: readonly Policy[];
  readonly reply: Reply;
}

/** Answers with pages of effective policies. */
export class EffectivePages {
  readonly #decisions: Decisions;
  /** By user name; valid as long as the decisions have the very same list. */
  readonly #kept = new LRUCache<string, KeptPage>({ maxSize: MAX_KEPT_UNITS });

  constructor(decisions: Decisions) {
    this.#decisions = decisions;
  }

  /** The page that a query asks for; "not_found" for an unknown user. */
  reply(username: string, query: Query): Reply | Promise<Reply> {
    const page = pageOf(query);
    const found = this.#decisions.effectivePolicies(username);
    if (found instanceof Promise) return found.then((policies) => this.#page(username, policies, page));
    return this.#page(username, found, page);
  }

  #page(username: string, policies: readonly Policy[] | undefined, page: Required<PageRequest>): Reply {
    if (policies === undefined) throw new AuthorizerError("not_found", "the user does not exist");
    const isWhole = page.prefix === "" && page.after === "" && policies.length <= page.amount;
    if (!isWhole) return pageReply(policies, page);
    const kept = this.#kept.get(username);
    if (kept?.policies === policies) return kept.reply;
    const reply = pageReply(policies, page);
    const size = (reply.body?.length ?? 0) + username.length;
    this.#kept.set(username, { policies, reply }, { size });
    return reply;
  }
}

function pageReply(policies: readonly Policy[], page: Required<PageRequest>): Reply {
  const { results, next_offset } = pageOfSorted(policies, page);
  const items = results.map((policy) => JSON.stringify(policyBody(policy)));
  return { status: 200, body: pageText(items, next_offset) };
}
