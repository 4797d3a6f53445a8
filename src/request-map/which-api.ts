/**
 * Which permission table a request is for (security.md §2.6), as the data server chooses between its S3 gateway and
 * its main API. Where the rule and the data server read a request in different ways, there is no answer: else a
 * request could be decided by one table and served by the other.
 */

/** What the choice rests on. */
export interface Choice {
  /** The request's `Host`, undefined where it is not known. */
  readonly host: string | undefined;
  /** Raw query without `?`. */
  readonly query: string;
  /** Value of a header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** `gateways.s3.domain_name`; a port in it does not count. */
  readonly s3Domains: readonly string[];
}

/**
 * The table, with the bucket where the host names it (`bucket.s3.example.com`); or why the request is refused. The
 * replication API is a path of the main one.
 */
export type WhichApi =
  | { readonly api: "main" | "gateway"; readonly bucket?: string }
  | { readonly problem: string };

/** A name or an address: between brackets there must be a colon, for the data server reads `[name]:80` as `name`. */
const HOST = /^(\[[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*\]|[^\s:/?#@[\],]+)(?::[0-9]*)?$/;
const MAIN: WhichApi = { api: "main" };
const GATEWAY: WhichApi = { api: "gateway" };

/** Chooses the table. */
export function whichApi(choice: Choice): WhichApi {
  const byHost = apiOfHost(choice);
  if ("problem" in byHost) return byHost;
  const signed = apiOfCredentials(choice);
  if ("problem" in signed) return signed;
  if (byHost.api === "gateway") return byHost;
  if (signed.api === "gateway" && isTakenForBucket(choice)) {
    return { problem: "the host ends like that of the S3 gateway" };
  }
  return signed;
}

/** Once a request is its gateway's, the data server takes the domain off the end of the host, with or without a dot. */
function isTakenForBucket({ host = "", s3Domains }: Choice): boolean {
  const name = HOST.exec(host)?.[1] ?? "";
  return plainDomains(s3Domains).some((domain) => name.endsWith(domain));
}

function plainDomains(s3Domains: readonly string[]): readonly string[] {
  return s3Domains.map((domain) => domain.replace(/:[0-9]*$/, "")).filter((domain) => domain !== "");
}

function apiOfHost({ host, s3Domains }: Choice): WhichApi {
  if (host === undefined) return MAIN;
  const name = HOST.exec(host)?.[1];
  if (name === undefined) return { problem: "the host cannot be read" };
  const domains = plainDomains(s3Domains);
  // Of a domain that is an address the data server reads less than what is written.
  if (name.startsWith("[") && domains.some((domain) => domain.includes(":"))) {
    return { problem: "the host is an address, and so is one of the S3 gateway" };
  }
  if (domains.includes(name)) return GATEWAY;
  for (const domain of domains) {
    const bucket = name.endsWith(`.${domain}`) ? name.slice(0, -domain.length - 1) : "";
    if (bucket !== "" && !bucket.includes(".")) return { api: "gateway", bucket };
  }
  // The data server compares letter by letter and knows one level of buckets; the rule and a proxy may not.
  const loose = name.toLowerCase().replace(/\.+$/, "");
  const near = domains.some((domain) => `.${loose}`.endsWith(`.${domain.toLowerCase()}`));
  return near ? { problem: "the host is nearly that of the S3 gateway" } : MAIN;
}

function apiOfCredentials({ query, header }: Choice): WhichApi {
  const authorization = header("authorization") ?? "";
  if (authorization.startsWith("AWS4") || authorization.startsWith("AWS ")) return GATEWAY;
  // The data server takes the header for a signature, the rule knows the parameter only.
  if ((header("x-amz-signature") ?? "") !== "") return { problem: "X-Amz-Signature is a header" };
  return isPerhapsSigned(query) ? apiOfQuery(query) : MAIN;
}

/** Names that sign, or are encoded and may: queries without such are done with at a look. */
const PERHAPS_SIGNED = /(?:^|&)(?:X-Amz-|AWS|[^=&]*%)/;

/** False where no parameter of a raw query can be one of a signature. */
export function isPerhapsSigned(query: string): boolean {
  return query !== "" && PERHAPS_SIGNED.test(query);
}

/** Signs of a signed S3 request in a query; the last is of Signature V2. */
export const SIGNING_PARAMETERS: readonly string[] = [
  "X-Amz-Signature",
  "X-Amz-Credential",
  "AWSAccessKeyId",
];

function apiOfQuery(query: string): WhichApi {
  const first = new Map<string, string>();
  for (const [name, value] of readablePairs(query)) {
    if (SIGNING_PARAMETERS.includes(name) && !first.has(name)) first.set(name, value);
  }
  if (first.size === 0) return MAIN;
  for (const [name, value] of first) if (value === "") return { problem: `${name} is empty` };
  return GATEWAY;
}

/** The pairs of a query as Go reads them: those with a `;` or a bad escape are not there. */
function* readablePairs(query: string): Generator<readonly [string, string]> {
  for (const pair of query.split("&")) {
    if (pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    const name = unescaped(equals < 0 ? pair : pair.slice(0, equals));
    const value = unescaped(equals < 0 ? "" : pair.slice(equals + 1));
    if (name !== undefined && value !== undefined) yield [name, value];
  }
}

/** A name or value, undefined with a bad escape. Bytes that are no UTF-8 are kept apart from every text. */
function unescaped(text: string): string | undefined {
  if (!text.includes("%")) return text;
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return undefined;
  return text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, digits) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
