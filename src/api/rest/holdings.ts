/** The policies that users and groups hold, for comparing grants. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { Policy } from "@svc-authorizer/policy/model/policy.ts";
import type { Directory } from "../../directory/directory.ts";

const WHOLE_PAGE = 1000;

/** Reads policies of users and groups. */
export class Holdings {
  readonly #directory: Directory;

  constructor(directory: Directory) {
    this.#directory = directory;
  }

  /** All policies of a group; throws "not_found". */
  async ofGroup(group: string): Promise<readonly Policy[]> {
    const found: Policy[] = [];
    let after = "";
    do {
      const page = await this.#directory.groups.policies(group, { after, amount: WHOLE_PAGE });
      found.push(...page.results);
      after = page.next_offset;
    } while (after !== "");
    return found;
  }

  /** The effective policies of a user, as stored; throws "not_found". */
  async ofUser(username: string): Promise<readonly Policy[]> {
    const principal = await this.#directory.principal(username);
    if (principal === undefined) throw new AuthorizerError("not_found", "the user does not exist");
    return principal.policies;
  }
}
