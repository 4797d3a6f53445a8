/** Policy data is written with partition `svc`. This file replaces it by another one, field by field. */

import { AuthorizerError } from "../errors.ts";
import { formatArn, parseArn } from "../model/arn.ts";
import type { NamedStatements, Statement } from "../model/policy.ts";
import { parseResourceText } from "../model/resource-text.ts";
import type { ResourceType } from "../model/resource-type.ts";

/** The partition in which the files are written. */
export const FILE_PARTITION = "svc";

const PARTITION = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

/** Throws AuthorizerError("invalid_request") for a text that cannot be the partition of an ARN. */
export function checkPartition(partition: string): void {
  if (PARTITION.test(partition)) return;
  throw new AuthorizerError("invalid_request", "a partition must be letters, digits, _ and -, such as svc");
}

/**
 * The same ARN, template or `*` in another partition. Any text that is not an ARN of {@link FILE_PARTITION} stays as it
 * is.
 */
export function inPartition(text: string, partition: string): string {
  const arn = parseArn(text, FILE_PARTITION);
  return arn === undefined ? text : formatArn({ ...arn, partition });
}

/** Applies `change` to each resource of a statement's resource text, and keeps the form of the text. */
export function mapResources(text: string, change: (resource: string) => string): string {
  const resources = parseResourceText(text);
  if (resources === undefined)
    throw new AuthorizerError("internal", `broken resource text in policy data: ${text}`);
  const isArray = text.startsWith("[") && text.endsWith("]");
  return isArray ? JSON.stringify(resources.map(change)) : change(text);
}

function statementInPartition(statement: Statement, partition: string): Statement {
  return { ...statement, resource: mapResources(statement.resource, (text) => inPartition(text, partition)) };
}

/** The same policy with its resources in another partition. */
export function policyInPartition<T extends NamedStatements>(policy: T, partition: string): T {
  return { ...policy, statement: policy.statement.map((it) => statementInPartition(it, partition)) };
}

/** The same resource type with its template in another partition. */
export function typeInPartition<T extends ResourceType>(type: T, partition: string): T {
  return { ...type, arn: inPartition(type.arn, partition) };
}
