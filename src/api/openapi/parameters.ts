/** Parameters that several operations share, by the name under which they refer to them. */

import type { Parameter } from "./openapi-types.ts";

const ENCODED_TWICE =
  "A data server percent-encodes path parameters twice; they are decoded twice (the second time only where that is possible), and `+` is a plus sign.";

function pathName(name: string, what: string): Parameter {
  return {
    name,
    in: "path",
    required: true,
    description: `${what} ${ENCODED_TWICE}`,
    schema: { type: "string", minLength: 1 },
  };
}

/** All of them. */
export const PARAMETERS: { readonly [name: string]: Parameter } = {
  RequestId: {
    name: "X-Request-ID",
    in: "header",
    description:
      "Goes into the answer and the logs. One that is longer than 128 characters or not printable ASCII is replaced.",
    schema: { type: "string" },
  },
  Explain: {
    name: "explain",
    in: "query",
    description: "Answer with the reasons too; needs a token with scope `read` besides.",
    schema: { type: "boolean", default: false },
  },
  Prefix: {
    name: "prefix",
    in: "query",
    description: "Only items whose key begins with this text.",
    schema: { type: "string", default: "" },
  },
  After: {
    name: "after",
    in: "query",
    description: "Only items behind this key: the `next_offset` of the page before.",
    schema: { type: "string", default: "" },
  },
  Amount: {
    name: "amount",
    in: "query",
    description: "Most items of a page; 0 means 100, -1 means 1,000.",
    schema: { type: "integer", minimum: -1, maximum: 1000, default: 100 },
  },
  UserId: pathName("userId", "Name of the user."),
  GroupId: pathName("groupId", "Name of the group."),
  PolicyId: pathName("policyId", "Name of the policy."),
  AccessKeyId: pathName("accessKeyId", "Access key id."),
  PrincipalId: {
    name: "principalId",
    in: "query",
    required: true,
    description: "Id of the external principal, such as the ARN of a role.",
    schema: { type: "string", minLength: 1 },
  },
};
