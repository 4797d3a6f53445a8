/** The hosts that are asked who signed a request: nobody else's address is called because a caller names it. */

/** Stands for the region of the request in an entry of `authorizer.aws_iam.sts_hosts`. */
const REGION = "<region>";
const REGIONS = /^[a-z]{2}(?:-[a-z]{2,16}){1,3}-\d{1,2}$/;
const LOOPBACK = /^(?:127\.0\.0\.1|localhost)(?::\d{1,5})?$/;

/**
 * The address of a host that may be asked; undefined for any other. https, and http on this machine alone.
 * @param allowed `authorizer.aws_iam.sts_hosts`
 */
export function stsAddress(
  { host, region }: { readonly host: string; readonly region: string },
  allowed: readonly string[],
): string | undefined {
  const isAllowed = allowed.some((entry) =>
    entry.includes(REGION) ? REGIONS.test(region) && entry.replace(REGION, region) === host : entry === host,
  );
  if (!isAllowed) return undefined;
  return `${LOOPBACK.test(host) ? "http" : "https"}://${host}/`;
}
