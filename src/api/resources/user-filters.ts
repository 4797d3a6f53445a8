/** Filters of the list of users, which data servers look users up with. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { User } from "@svc-authorizer/policy/model/entities.ts";
import type { Page, PageRequest, Users } from "../../directory/directory.ts";
import type { Query } from "../../http/request/query.ts";

const INTEGER = /^-?\d{1,19}$/;
const NO_USERS: Page<User> = { results: [], next_offset: "" };

/** Filters are exact and never ignored: a look-up that matches too much would be somebody else's account. */
export async function foundUsers(
  users: Users,
  page: Required<PageRequest>,
  query: Query,
): Promise<Page<User>> {
  const id = query.get("id");
  if (id !== undefined) {
    if (id !== "" && !INTEGER.test(id))
      throw new AuthorizerError("invalid_request", "id: must be a whole number");
    // Users have no numbers.
    return NO_USERS;
  }
  const email = query.get("email");
  const external_id = query.get("external_id");
  if (external_id === undefined) return users.list(page, email === undefined ? {} : { email });
  const list = await users.list(page, { external_id });
  return email === undefined
    ? list
    : { ...list, results: list.results.filter((user) => user.email === email) };
}
