/** ARNs: `arn:<partition>:<service>:<region>:<account>:<resource>` (spec/evaluation §3, spec/permissions §11.3). */

/** The parsed fields of an ARN. */
export interface Arn {
  readonly partition: string;
  readonly service: string;
  readonly region: string;
  readonly account: string;
  /** Everything after the fifth colon, further colons included. */
  readonly resource: string;
}

const FIELDS_BEFORE_RESOURCE = 5;

/**
 * Parses an ARN of a partition. Splits at the first five colons; case sensitive, no trimming.
 * @returns undefined unless field 1 is `arn`, field 2 the partition, and service and resource are non-empty.
 */
export function parseArn(text: string, partition: string): Arn | undefined {
  const fields: string[] = [];
  let start = 0;
  while (fields.length < FIELDS_BEFORE_RESOURCE) {
    const colon = text.indexOf(":", start);
    if (colon < 0) return undefined;
    fields.push(text.slice(start, colon));
    start = colon + 1;
  }
  const [scheme, foundPartition, service, region, account] = fields as [
    string,
    string,
    string,
    string,
    string,
  ];
  const resource = text.slice(start);
  if (scheme !== "arn" || foundPartition !== partition || service === "" || resource === "") return undefined;
  return { partition, service, region, account, resource };
}

/** The text of an ARN; the inverse of {@link parseArn}. */
export function formatArn(arn: Arn): string {
  return `arn:${arn.partition}:${arn.service}:${arn.region}:${arn.account}:${arn.resource}`;
}
