/**
 * Chooses the permission table of a request (spec/security §2.6), as the data server chooses between its S3 gateway and
 * its main API. If the rule and the data server would read a request differently, the request is refused: otherwise one
 * table could decide it and the other API serve it.
 */

import { rememberLast } from "../remember-last.ts";

/** The parts of the request that the choice depends on. */
interface Choice {
  /** The `Host` of the request, or undefined if unknown. */
  readonly host: string | undefined;
  /** Raw query without `?`. */
  readonly query: string;
  /** Value of a header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** `gateways.s3.domain_name`; ports in it are ignored. */
  readonly s3Domains: readonly string[];
}

/**
 * The table, with the bucket if the host names it (`bucket.s3.example.com`), or the reason of the refusal. The
 * replication API is a path of the main API.
 */
export type WhichApi =
  | { readonly api: "main" | "gateway"; readonly bucket?: string }
  | { readonly problem: string };

/**
 * A name or an address. Between brackets there must be a colon, because the data server reads `[name]:80` as `name`.
 */
const HOST = /^(\[[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*\]|[^\s:/?#@[\],]+)(?::[0-9]*)?$/;
const MAIN: WhichApi = { api: "main" };
const GATEWAY: WhichApi = { api: "gateway" };

/** Chooses the table. */
export function whichApi(choice: Choice): WhichApi {
  const byHost = apisByHost(choice.s3Domains)(choice.host);
  if ("problem" in byHost) return byHost;
  const signed = apiOfCredentials(choice);
  if ("problem" in signed) return signed;
  if (byHost.api === "gateway") return byHost;
  if (signed.api === "gateway" && isTakenForBucket(choice)) {
    return { problem: "the host ends like that of the S3 gateway" };
  }
  return signed;
}

/**
 * True if the data server would read a bucket from the host: for a gateway request it removes the domain from the end
 * of the host, with or without a dot.
 */
function isTakenForBucket({ host = "", s3Domains }: Choice): boolean {
  const name = HOST.exec(host)?.[1] ?? "";
  return plainDomains(s3Domains).some((domain) => name.endsWith(domain));
}

function plainDomains(s3Domains: readonly string[]): readonly string[] {
  return s3Domains.map((domain) => domain.replace(/:[0-9]*$/, "")).filter((domain) => domain !== "");
}

/** Most requests name the same host, and a process has one list of domains. */
const apisByHost = rememberLast((s3Domains: readonly string[]) =>
  rememberLast((host: string | undefined) => apiOfHost(host, s3Domains)),
);

function apiOfHost(host: string | undefined, s3Domains: readonly string[]): WhichApi {
  if (host === undefined) return MAIN;
  const name = HOST.exec(host)?.[1];
  if (name === undefined) return { problem: "the host cannot be read" };
  const domains = plainDomains(s3Domains);
  // If a domain is an address, the data server reads only a part of it.
  if (name.startsWith("[") && domains.some((domain) => domain.includes(":"))) {
    return { problem: "the host is an address, and so is one of the S3 gateway" };
  }
  if (domains.includes(name)) return GATEWAY;
  for (const domain of domains) {
    const bucket = name.endsWith(`.${domain}`) ? name.slice(0, -domain.length - 1) : "";
    if (bucket !== "" && !bucket.includes(".")) return { api: "gateway", bucket };
  }
  // The data server compares exactly and knows one level of buckets; the rule and a proxy may not.
  const loose = name.toLowerCase().replace(/\.+$/, "");
  const near = domains.some((domain) => `.${loose}`.endsWith(`.${domain.toLowerCase()}`));
  return near ? { problem: "the host is nearly that of the S3 gateway" } : MAIN;
}

function apiOfCredentials({ query, header }: Choice): WhichApi {
  const authorization = header("authorization") ?? "";
  if (authorization.startsWith("AWS4") || authorization.startsWith("AWS ")) return GATEWAY;
  // The data server reads this header as a signature; the rule knows only the parameter.
  if ((header("x-amz-signature") ?? "") !== "") return { problem: "X-Amz-Signature is a header" };
  return isPerhapsSigned(query) ? apiOfQuery(query) : MAIN;
}

/** Matches names of signing parameters, and encoded names: most queries have none and need no parsing. */
const PERHAPS_SIGNED = /(?:^|&)(?:X-Amz-|AWS|[^=&]*%)/;

/** False if no parameter of a raw query can belong to a signature. */
export function isPerhapsSigned(query: string): boolean {
  return query !== "" && PERHAPS_SIGNED.test(query);
}

/** Parameters of a signed S3 request; the last belongs to Signature Version 2. */
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

/** The pairs of a query that Go reads: it drops those with a `;` or a bad escape. */
function* readablePairs(query: string): Generator<readonly [string, string]> {
  for (const pair of query.split("&")) {
    if (pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    const name = unescaped(equals < 0 ? pair : pair.slice(0, equals));
    const value = unescaped(equals < 0 ? "" : pair.slice(equals + 1));
    if (name !== undefined && value !== undefined) yield [name, value];
  }
}

/** Decodes a name or value; undefined for a bad escape. Bytes that are not UTF-8 never equal a valid text. */
function unescaped(text: string): string | undefined {
  if (!text.includes("%")) return text;
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return undefined;
  return text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, digits) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
