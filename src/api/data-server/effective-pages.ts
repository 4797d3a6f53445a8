/** The hot path of authorization: effective policies of a user, as pages whose text is kept while nothing changes. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { Policy } from "@svc-authorizer/policy/model/policy.ts";
import { LRUCache } from "lru-cache";
import type { Decisions } from "../../decisions/decisions.ts";
import type { PageRequest } from "../../directory/directory.ts";
import type { Query } from "../../http/request/query.ts";
import type { Reply } from "../../http/route.ts";
import { pageOf, pageOfSorted, pageText } from "../rest/pages.ts";
import { TextsInTurns } from "../rest/texts-in-turns.ts";
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
    const kept = found === undefined ? undefined : this.#kept.get(username);
    if (kept !== undefined && kept.policies === found && isOfAll(found, page)) return kept.reply;
    return this.#page(username, found, page);
  }

  async #page(
    username: string,
    policies: readonly Policy[] | undefined,
    page: Required<PageRequest>,
  ): Promise<Reply> {
    if (policies === undefined) throw new AuthorizerError("not_found", "the user does not exist");
    const { results, next_offset } = pageOfSorted(policies, page);
    const texts = new TextsInTurns();
    for (const policy of results) {
      if (texts.isFullPage) break;
      await texts.add(policyBody(policy));
    }
    const isWhole = texts.count === results.length;
    const next = isWhole ? next_offset : (results[texts.count - 1]?.name ?? "");
    const reply = { status: 200, body: pageText(texts.all, next) };
    if (isWhole && isOfAll(policies, page)) {
      const size = reply.body.length + username.length;
      this.#kept.set(username, { policies, reply }, { size });
    }
    return reply;
  }
}

function isOfAll(
  policies: readonly Policy[],
  { prefix, search, after, amount }: Required<PageRequest>,
): boolean {
  return prefix === "" && search === "" && after === "" && policies.length <= amount;
}
