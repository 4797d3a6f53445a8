/**
 * From a request of a data server to what it needs: the permission tables applied (permissions.md §8,
 * security.md §2). This file is the contract of the room, `open-endpoints.ts` builds it from the catalog. Pure and
 * synchronous.
 */

import type { EndpointApi } from "../catalog/endpoint-table.ts";
import type { RequiredPermissions } from "../model/decision.ts";
import type { RequiredOnSets, ResourceSet } from "../model/resource-set.ts";

/** The APIs of a data server that have a permission table. */
export type Api = EndpointApi;

/** A request as it was on the wire, nothing decoded. */
export interface WireRequest {
  readonly api: Api;
  /** As sent; methods are case sensitive. */
  readonly method: string;
  /** Raw path, with `/api/v1` for the main API; no `?`, no `#`. */
  readonly path: string;
  /** Raw query without `?`, "" where there is none. */
  readonly query: string;
  /**
   * The repository that the host names, where a gateway request has the virtual-hosted form `{bucket}.{domain}`: the
   * host without the domain, letter case kept. The path then begins at the ref. Other APIs refuse it.
   */
  readonly bucket?: string;
  /**
   * Value of a header by its lower-case name; undefined where the request has none. Rows name what they read. A header
   * that is repeated must have been refused before: the data server reads the first, others join them.
   */
  readonly header: (name: string) => string | undefined;
  /**
   * The parsed JSON body; undefined where it is not at hand, which makes what it would say open (a set). Its text must
   * have been seen to have no member twice. The XML bodies of the gateway are never read.
   */
  readonly body?: unknown;
  /** Values that no request carries, such as the destination branch of a pull request. */
  readonly facts?: ReadonlyMap<string, string>;
}

/** The check that a listing or a bulk operation makes for each of its items. */
export interface PerItem {
  /** What the items are, e.g. `results` or `body.paths`. */
  readonly over: string;
  readonly action: string;
  /** ARN of an item with the values of this request filled in and `{…}` for those of the item. */
  readonly resource: string;
  /** Every ARN that an item can have. */
  readonly all: ResourceSet;
}

/** A request that a row of the tables answers. */
export interface MatchedRequest {
  /** Name of the operation, e.g. `createBranch` or `PutObject`. */
  readonly operation: string;
  readonly authentication: "none" | "optional" | "required";
  /**
   * null: nothing but what `authentication` and `perItem` say. The items of a given body have a leaf each, and an empty
   * list adds none; where nothing else is required, it is an empty `or`, which is never allowed (security.md §2.4).
   */
  readonly required: RequiredOnSets | null;
  /**
   * Present where items are checked that are not all in `required`: results of the server, or a body that is not at
   * hand. Items of a body at hand stand in `required`, and then this is absent.
   */
  readonly perItem?: PerItem;
  /** True where `required` or `perItem` are open because the row reads a body that is not at hand. */
  readonly bodyMissing: boolean;
}

/** A request that no row answers, or that cannot be read as the data server would read it: denied. */
export interface UnmatchedRequest {
  readonly operation: null;
  readonly reason: "unknown_endpoint" | "unreadable_request";
  /** For people, says which rule. */
  readonly message: string;
}

/** The permission tables of one partition. */
export interface Endpoints {
  /**
   * One unambiguous row or none, in time linear in the request; never throws. Whether a repository exists is not known
   * here: what the gateway asks for where it does not, the data server checks itself.
   */
  match(request: WireRequest): MatchedRequest | UnmatchedRequest;
  /**
   * What an operation of the main API needs with these values (`userId`, `body.id`, `query.principalId`, …); null
   * where it needs no permission. For servers that know their operation.
   * @throws AuthorizerError "internal" for an unknown operation or a missing value
   */
  requirement(operation: string, values: ReadonlyMap<string, string>): RequiredPermissions | null;
}
