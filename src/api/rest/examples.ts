/** Examples of entities, as each API shows them. */

import type { DescribedAnswer } from "../../http/openapi/document.ts";
import { EXAMPLE_STATEMENT, EXAMPLE_TIME, PRINCIPAL_ID } from "./declared.ts";
import { answerWith, answerWithPage } from "./operation-kinds.ts";

const KEY = { access_key_id: "AKIAJEXAMPLEEXAMPLEQ", creation_date: EXAMPLE_TIME };
const KEY_WITH_SECRET = { ...KEY, secret_access_key: "example-secret-example-secret-example-00" };
const ALICE = { creation_date: EXAMPLE_TIME, friendly_name: "Alice", email: "alice@example.com" };
const STATEMENTS = { statement: [EXAMPLE_STATEMENT] };

const BOTH = {
  Group: {
    id: "Readers",
    name: "Readers",
    description: "May read everything.",
    creation_date: EXAMPLE_TIME,
  },
  Credentials: KEY,
  ExternalPrincipal: { id: PRINCIPAL_ID.example, user_id: "alice" },
};

/** Examples of the data-server API. */
export const DATA_SERVER_EXAMPLES = {
  ...BOTH,
  User: { username: "alice", ...ALICE, source: "internal" },
  Member: { username: "alice", creation_date: EXAMPLE_TIME },
  Policy: { name: "ReadData", ...STATEMENTS, creation_date: EXAMPLE_TIME },
  CredentialsWithSecret: { ...KEY_WITH_SECRET, user_id: 0, user_name: "alice" },
};

/** Examples by the names of their schemas; `Member` is a user of a list. */
export type Examples = Readonly<Record<keyof typeof DATA_SERVER_EXAMPLES, unknown>>;

/** Examples of the management API. */
export const MANAGEMENT_EXAMPLES = {
  ...BOTH,
  User: { id: "alice", ...ALICE },
  Member: { id: "alice", creation_date: EXAMPLE_TIME },
  Policy: { id: "ReadData", ...STATEMENTS, creation_date: EXAMPLE_TIME },
  CredentialsWithSecret: KEY_WITH_SECRET,
} satisfies Examples;

/** Returns the answer with one entity. */
export function one(status: 200 | 201, schema: keyof Examples, headers?: DescribedAnswer["headers"]) {
  return (examples: Examples): DescribedAnswer => {
    const answer = answerWith(status, schema, examples[schema]);
    return headers === undefined ? answer : { ...answer, headers };
  };
}

/** Returns the answer with a page of entities. */
export function page(schema: string, item: keyof Examples) {
  return (examples: Examples): DescribedAnswer => answerWithPage(schema, examples[item]);
}
