/**
 * The exchange (spec/exchange): what a proxy sends to a data server that knows one key, in place of the credential of a
 * user who may. This file is the contract; `open-exchange.ts` builds it.
 */

import type { RowRules } from "../decisions/requests.ts";
import type { SentHeaders, SignedPart } from "../identity/identity.ts";
import type { WireRequest } from "../request-map/endpoints.ts";

/** The one access key that the data server knows. */
export interface ServerKey {
  readonly accessKeyId: string;
  readonly secret: string;
}

/** The treatment of presigned URLs (`authorizer.exchange.presigned`). */
export type Presigned = "in_place" | "rewrite" | "refuse";

/** A request that policies allow. */
export interface AllowedRequest {
  readonly wire: WireRequest;
  /** Headers as they go upstream, by lower-case name; `host` is the client's. */
  readonly headers: SentHeaders;
  /** Names of headers that came more than once. */
  readonly repeated: ReadonlySet<string>;
  /** True if nobody is authenticated: a row that is open to all. */
  readonly anonymous: boolean;
  /** The access key of the user's credential, or for which it was issued. */
  readonly accessKeyId?: string | undefined;
  /** The verified signature, where there was one. */
  readonly signed?: SignedPart | undefined;
}

/** The changes to a request that goes upstream. */
export interface Upstream {
  /** The `Authorization`; undefined: the request goes without. */
  readonly authorization: string | undefined;
  /** Another target, with {@link Upstream.date}. */
  readonly uri?: string;
  /** The value of `X-Amz-Date` for {@link Upstream.uri}. */
  readonly date?: string;
}

/** A request that is refused although policies allow it. */
export interface NotExchanged {
  /** For people; holds no secret. */
  readonly refused: string;
}

/** A request that this service sends to the data server itself, with an unsigned body. */
export interface OwnRequest {
  readonly wire: Pick<WireRequest, "api" | "method" | "path" | "query">;
  /** By lower-case name, `host` among them. */
  readonly headers: ReadonlyMap<string, string>;
}

/** The headers that make a request the one key's, by lower-case name. */
export type OwnHeaders = Readonly<Record<string, string>>;

/** Exchanges credentials. */
export interface Exchange {
  /** Rules about rows, whatever policies say. */
  readonly rules: RowRules;
  /** The changes for an allowed request. Never throws. */
  upstream(request: AllowedRequest): Upstream | NotExchanged;
  /** The credential of a request that this service sends itself, as of now. Never throws. */
  own(request: OwnRequest): OwnHeaders | NotExchanged;
}
