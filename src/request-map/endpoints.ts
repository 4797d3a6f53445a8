/**
 * Applies the permission tables: from a request of a data server to the permissions that it needs (spec/permissions §8,
 * spec/security §2). This file is the contract; `open-endpoints.ts` builds it from the catalog. Pure and synchronous.
 */

import type { EndpointApi } from "@svc-authorizer/policy/catalog/endpoint-table.ts";
import type { RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import type { RequiredOnSets, ResourceSet } from "@svc-authorizer/policy/model/resource-set.ts";

/** The APIs of a data server that have a permission table. */
export type Api = EndpointApi;

/** A request as it was on the wire, without any decoding. */
export interface WireRequest {
  readonly api: Api;
  /** As sent; methods are case sensitive. */
  readonly method: string;
  /** Raw path, with `/api/v1` for the main API; no `?`, no `#`. */
  readonly path: string;
  /** Raw query without `?`, or "". */
  readonly query: string;
  /**
   * The repository in the host, if a gateway request has the virtual-hosted form `{bucket}.{domain}`: the host without
   * the domain, in its letter case. The path then begins with the ref. Other APIs refuse it.
   */
  readonly bucket?: string;
  /**
   * Value of a header by its lower-case name, or undefined. Rows name the headers that they read. The caller must
   * refuse repeated headers: the data server reads the first one, other programs join them.
   */
  readonly header: (name: string) => string | undefined;
  /**
   * The parsed JSON body, or undefined if it is unknown; its values then stay open (a set of resources). The caller
   * must refuse texts with duplicate members. The XML bodies of the gateway are never read.
   */
  readonly body?: unknown;
  /** Values that no request carries, such as the destination branch of a pull request. */
  readonly facts?: ReadonlyMap<string, string>;
}

/** The check of a listing or bulk operation for each of its items. */
export interface PerItem {
  /** The list of the items, e.g. `results` or `body.paths`. */
  readonly over: string;
  readonly action: string;
  /** ARN of an item with the values of this request filled in and `{…}` for those of the item. */
  readonly resource: string;
  /** The set of all ARNs that an item can have. */
  readonly all: ResourceSet;
}

/** A request that matches a row. */
export interface MatchedRequest {
  /** Name of the operation, e.g. `createBranch` or `PutObject`. */
  readonly operation: string;
  readonly authentication: "none" | "optional" | "required";
  /**
   * null: nothing but what `authentication` and `perItem` say. The items of a given body have a leaf each, and an empty
   * list adds none; where nothing else is required, it is an empty `or`, which is never allowed (spec/security §2.4).
   */
  readonly required: RequiredOnSets | null;
  /**
   * Present if the items are not all in `required`: they are results of the server, or in an unknown body. Items of a
   * known body are in `required`, and this is absent.
   */
  readonly perItem?: PerItem;
  /** True if `required` or `perItem` have open values because the row reads a body that is unknown. */
  readonly bodyMissing: boolean;
}

/** A request that matches no row, or that cannot be read exactly as the data server would read it. It is denied. */
export interface UnmatchedRequest {
  readonly operation: null;
  readonly reason: "unknown_endpoint" | "unreadable_request";
  /** For people; names the rule. */
  readonly message: string;
}

/** The permission tables of one partition. */
export interface Endpoints {
  /**
   * Finds the one matching row, in time linear in the request. Never throws. It does not know whether a repository
   * exists: the data server itself checks what its gateway requires for a missing one.
   */
  match(request: WireRequest): MatchedRequest | UnmatchedRequest;
  /**
   * The permissions of an operation of the main or the replication API for these values (`userId`, `body.id`, `query.principalId`, …), or
   * null if it needs none. For servers that know their operation.
   * @throws AuthorizerError "internal" for an unknown operation or a missing value
   */
  requirement(operation: string, values: ReadonlyMap<string, string>): RequiredPermissions | null;
}
