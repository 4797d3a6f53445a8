/**
 * Signs an allowed request of the S3 gateway with the data server's key (spec/exchange §3): the host and all `x-amz-*`
 * headers, so that the data server serves what was decided.
 */

import type { SentHeaders } from "../identity/identity.ts";
import { SignatureRefused } from "../identity/refusals.ts";
import { type CredentialParts, credentialParts } from "../identity/signature/credential-parts.ts";
import { canonicalQuery, queryParameters } from "../identity/signature/query-parameters.ts";
import { canonicalHeaders } from "../identity/signature/signed-headers.ts";
import { digestOf, type Signer, signatureOf } from "../identity/signature/signing.ts";
import { canonicalPath, canonicalQueryPart } from "../identity/signature/uri-encoding.ts";
import { rememberLast } from "../remember-last.ts";
import type {
  AllowedRequest,
  NotExchanged,
  OwnHeaders,
  OwnRequest,
  Presigned,
  ServerKey,
  Upstream,
} from "./exchange.ts";

/** Options of {@link Resigning}. */
interface ResigningOptions {
  readonly key: ServerKey;
  readonly region: string;
  readonly presigned: Presigned;
  /** See {@link isChunkSigned}: true where another listener takes them. */
  readonly streams: boolean;
  /** Unix milliseconds. */
  readonly now: () => number;
}

const DATE = "x-amz-date";
const CONTENT = "x-amz-content-sha256";
const UNSIGNED = "UNSIGNED-PAYLOAD";
const CHUNK_SIGNED = /^STREAMING-AWS4-HMAC-SHA256-PAYLOAD/i;
const USE_HTTPS =
  "chunk-signed bodies are not accepted: use https, or configure authorizer.exchange.streaming_address";
/** Headers that proxies drop. */
const DROPPED: ReadonlySet<string> = new Set(["x-amz-security-token"]);
/** Parameters of a presigned URL that its rewritten form lacks. */
const SIGNING =
  /^X-Amz-(?:Algorithm|Credential|Date|Expires|SignedHeaders|Signature|Content-Sha256|Security-Token)$/;
/** Age at which the data server refuses a request, presigned or not. */
const MOST_AGE_MS = 15 * 60_000;

/** True for the payload hash of a body that is signed in chunks. */
function isChunkSigned(payloadHash: string): boolean {
  return CHUNK_SIGNED.test(payloadHash);
}

/** Signs with one key. */
export class Resigning {
  readonly #options: ResigningOptions;
  readonly #signer: Signer;
  /** All signatures of a day have these parts in common. */
  readonly #ofDate: (date: string) => { readonly scope: string; readonly credential: string };

  constructor(options: ResigningOptions) {
    this.#options = options;
    const { key, region } = options;
    this.#ofDate = rememberLast((date) => {
      const scope = `${date}/${region}/s3/aws4_request`;
      return { scope, credential: `AWS4-HMAC-SHA256 Credential=${key.accessKeyId}/${scope}` };
    });
    this.#signer = { secret: options.key.secret, signingKeys: new Map() };
  }

  /** The Authorization for the data server, of a request whose own signature was verified. */
  sign(request: AllowedRequest): Upstream | NotExchanged {
    const { wire, headers, repeated, signed } = request;
    // Nearly every request of a program: what its signature covers is what this one is to cover.
    const ofHeader = headers.get(DATE);
    if (signed !== undefined && ofHeader !== undefined && repeated.size === 0) {
      const isCovered = coversEnough(signed.signedHeaders) && !isChunkSigned(headers.get(CONTENT) ?? "");
      if (isCovered && headers.has("authorization")) {
        return this.#authorization(signed.digest, signed.signedHeaders, ofHeader);
      }
    }
    const query = queryParameters(wire.query);
    const path = canonicalPath(wire.path);
    if (query === undefined || path === undefined)
      return notExchanged("the target has more than one reading");
    const content = headers.get(CONTENT) ?? UNSIGNED;
    const isChunked = isChunkSigned(content);
    if (isChunked && !this.#options.streams) return notExchanged(USE_HTTPS);
    const line = { method: wire.method, path, content };
    const parts = partsOf(request, query);
    if ("refused" in parts) return parts;
    const twice = parts.signedHeaders.split(";").find((name) => repeated.has(name));
    if (twice !== undefined) return notExchanged(`the signed header ${twice} came more than once`);
    // The streaming listener decides by itself; the data server gets no credential with such a body.
    if (isChunked) {
      const isPresigned = parts.form === "presigned";
      return isPresigned
        ? notExchanged("a presigned URL has no chunk-signed body")
        : { authorization: undefined };
    }
    if (parts.form === "header") return this.#signed({ ...line, query, headers, timestamp: parts.timestamp });
    const { presigned, now } = this.#options;
    if (presigned === "refuse") return notExchanged("presigned URLs are not accepted");
    if (presigned === "rewrite") return this.#rewritten(request, line);
    if (now() - timeOf(parts.timestamp) > MOST_AGE_MS) {
      return notExchanged("the data server accepts a presigned URL for 15 minutes");
    }
    return this.#signed({ ...line, query, headers, timestamp: parts.timestamp });
  }

  /** The headers of a request that is sent now with an unsigned body. */
  signOwn({ wire, headers }: OwnRequest): OwnHeaders | NotExchanged {
    const query = queryParameters(wire.query);
    const path = canonicalPath(wire.path);
    if (query === undefined || path === undefined)
      return notExchanged("the target has more than one reading");
    const date = basicTime(this.#options.now());
    const own = { [DATE]: date, [CONTENT]: UNSIGNED };
    const all = new Map([...headers, ...Object.entries(own)]);
    const line = { method: wire.method, path, content: UNSIGNED };
    const signed = this.#signed({ ...line, query, headers: all, timestamp: date });
    return "refused" in signed ? signed : { ...own, authorization: signed.authorization };
  }

  /** The same request without the signature in its query, as if it were sent now. */
  #rewritten({ wire, headers }: AllowedRequest, line: Line): Upstream | NotExchanged {
    const kept = wire.query.split("&").filter((pair) => pair !== "" && !isSigning(pair));
    const text = kept.join("&");
    const query = queryParameters(text);
    if (query === undefined) return notExchanged("the target has more than one reading");
    const date = basicTime(this.#options.now());
    const signed = this.#signed({ ...line, query, headers: new Redated(headers, date), timestamp: date });
    if ("refused" in signed) return signed;
    return { ...signed, uri: text === "" ? wire.path : `${wire.path}?${text}`, date };
  }

  #signed(one: Unsigned): Signed | NotExchanged {
    const { names, list } = signedOf(amzNames(one.headers));
    const lines = canonicalHeaders({ list: names }, one.headers);
    if (lines === undefined) return notExchanged("the headers have more than one reading");
    const { method, path, query, content, timestamp } = one;
    const canonicalRequest = `${method}\n${path}\n${canonicalQuery(query)}\n${lines}\n${list}\n${content}`;
    return this.#authorization(digestOf(canonicalRequest), list, timestamp);
  }

  #authorization(digest: string, signedHeaders: string, timestamp: string): Signed {
    const { region } = this.#options;
    const date = timestamp.slice(0, 8);
    const { scope, credential } = this.#ofDate(date);
    const signature = signatureOf(this.#signer, { date, region, scope, timestamp }, digest);
    return { authorization: `${credential}, SignedHeaders=${signedHeaders}, Signature=${signature}` };
  }
}

type Signed = Upstream & { readonly authorization: string };

/** Headers beside `x-amz-*` that a client may have signed and that no proxy touches. */
const UNTOUCHED: ReadonlySet<string> = new Set([
  "host",
  "amz-sdk-invocation-id",
  "amz-sdk-request",
  "content-md5",
  "content-type",
  "range",
]);

/** True if headers that a client signed, all its `x-amz-*` among them, arrive at the data server as it signed them. */
const coversEnough = rememberLast((signedHeaders: string): boolean =>
  signedHeaders
    .split(";")
    .every((name) => UNTOUCHED.has(name) || (name.startsWith("x-amz-") && !DROPPED.has(name))),
);

/** Names of the headers to sign, as one text in the order of the request: programs send the same again and again. */
function amzNames(headers: SentHeaders): string {
  let names = "";
  for (const name of headers.keys()) {
    if (name.startsWith("x-amz-") && !DROPPED.has(name)) names += `;${name}`;
  }
  return names;
}

const signedOf = rememberLast((amz: string): { readonly names: readonly string[]; readonly list: string } => {
  const names = ["host", ...amz.split(";").slice(1).sort()];
  return { names, list: names.join(";") };
});

interface Line {
  readonly method: string;
  /** In canonical form. */
  readonly path: string;
  /** The last line: a digest of the body, or the name of a form. */
  readonly content: string;
}

interface Unsigned extends Line {
  readonly query: ReadonlyMap<string, string>;
  readonly headers: SentHeaders;
  readonly timestamp: string;
}

/** Headers with another date. */
class Redated implements SentHeaders {
  readonly #headers: SentHeaders;
  readonly #date: string;

  constructor(headers: SentHeaders, date: string) {
    this.#headers = headers;
    this.#date = date;
  }

  get(name: string): string | undefined {
    return name === DATE ? this.#date : this.#headers.get(name);
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  keys(): Iterable<string> {
    return new Set([...this.#headers.keys(), DATE]);
  }
}

function partsOf(
  { wire, headers }: AllowedRequest,
  query: ReadonlyMap<string, string>,
): CredentialParts | NotExchanged {
  try {
    return credentialParts({ method: wire.method, path: wire.path, query: wire.query, headers }, query);
  } catch (error) {
    if (!(error instanceof SignatureRefused)) throw error;
    return notExchanged(error.message);
  }
}

function isSigning(pair: string): boolean {
  const equals = pair.indexOf("=");
  return SIGNING.test(canonicalQueryPart(equals < 0 ? pair : pair.slice(0, equals)) ?? "");
}

/** A time in the basic form of ISO 8601. */
function basicTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/[-:]|\.\d{3}/g, "");
}

/** Unix milliseconds of a verified time in the basic form of ISO 8601. */
function timeOf(text: string): number {
  return Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
}

function notExchanged(refused: string): NotExchanged {
  return { refused };
}
