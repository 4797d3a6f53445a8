/**
 * Operations on users, groups, policies and what belongs to them, declared once for both REST APIs: for data servers,
 * whose tokens have scopes, and for people, whose calls the permission table decides.
 */

import type { DescribedAnswer } from "../../http/openapi/document.ts";
import type { Answer } from "../../http/route.ts";
import { type DataServerDeclaration, bodyOf as dataServerBody } from "../data-server/declaration.ts";
import { bodyOf as managementBody, type UserDeclaration } from "../management/declaration.ts";
import { WARNING_HEADER } from "../rest/declared.ts";
import { DATA_SERVER_EXAMPLES, type Examples, MANAGEMENT_EXAMPLES } from "../rest/examples.ts";
import type { RestCall } from "../rest/grants.ts";
import { BASE_PATH } from "../rest/operation.ts";
import type { RestParts } from "../rest/parts.ts";

/** A handler that serves both APIs. */
export type RestHandler = (parts: RestParts) => (call: RestCall) => Answer | Promise<Answer>;

/** Handlers of an operation that is done differently in both APIs, or that one of them lacks. */
interface OwnHandlers {
  readonly dataServer?: DataServerDeclaration["handler"];
  readonly management?: UserDeclaration["handler"];
}

type Described =
  | "id"
  | "method"
  | "tag"
  | "summary"
  | "description"
  | "query"
  | "errors"
  | "priority"
  | "names";

/** A body by the name of its schema, which each API has in its own form. */
interface NamedBody {
  readonly schema: string;
  readonly example: unknown;
}

interface Own {
  readonly body?: NamedBody;
  /** Further headers of the answer. */
  readonly answerHeaders?: DescribedAnswer["headers"];
}

/** An operation of both APIs. */
export interface ResourceOperation extends Pick<DataServerDeclaration, Described> {
  /** Below the base path. */
  readonly path: string;
  readonly body?: NamedBody;
  readonly answer: DescribedAnswer | ((examples: Examples) => DescribedAnswer);
  /** True where the management API compares the change with what the caller holds, and may warn. */
  readonly compared?: boolean;
  readonly handler: RestHandler | OwnHandlers;
  /** Differences of the data-server API; its scope is `read` for GET, else `write`. */
  readonly dataServer?: Partial<Pick<DataServerDeclaration, Described | "scope">> & Own;
  /** Differences of the management API. */
  readonly management?: Partial<Pick<UserDeclaration, Described | "row" | "values" | "fields" | "missing">> &
    Own;
}

/** Returns the declarations of the data-server API. */
export function forDataServers(operations: readonly ResourceOperation[]): readonly DataServerDeclaration[] {
  return operations.flatMap((operation) => {
    const handler = ownHandler(operation.handler, "dataServer");
    if (handler === undefined) return [];
    const { common, own, answer, body } = parted(operation, "dataServer", DATA_SERVER_EXAMPLES);
    const scope = operation.method === "GET" ? "read" : "write";
    const declared = body === undefined ? {} : { body: dataServerBody(body.schema, body.example) };
    return [{ scope, ...common, ...own, ...declared, answer, handler }];
  });
}

/** Returns the declarations of the management API. */
export function forManagement(operations: readonly ResourceOperation[]): readonly UserDeclaration[] {
  return operations.flatMap((operation) => {
    const handler = ownHandler(operation.handler, "management");
    if (handler === undefined) return [];
    const { common, own, answer, body } = parted(operation, "management", MANAGEMENT_EXAMPLES);
    const headers = operation.compared === true ? { ...answer.headers, ...WARNING_HEADER } : answer.headers;
    const warned = headers === undefined ? answer : { ...answer, headers };
    const declared = body === undefined ? {} : { body: managementBody(body.schema, body.example) };
    return [{ access: "permitted", ...common, ...own, ...declared, answer: warned, handler }];
  });
}

function ownHandler<A extends keyof OwnHandlers>(
  handler: ResourceOperation["handler"],
  api: A,
): OwnHandlers[A] | RestHandler {
  return typeof handler === "function" ? handler : handler[api];
}

/** Takes an operation apart: what both APIs say, and what one of them says otherwise. */
function parted<A extends "dataServer" | "management">(
  { dataServer, management, handler: _, compared: __, answer, body, path, ...common }: ResourceOperation,
  api: A,
  examples: Examples,
) {
  const { answerHeaders, body: ownBody, ...own } = { dataServer, management }[api] ?? ({} as Own);
  const shown = typeof answer === "function" ? answer(examples) : answer;
  const headers = { ...shown.headers, ...answerHeaders };
  return {
    common: { ...common, path: BASE_PATH + path },
    own: own as Omit<NonNullable<ResourceOperation[A]>, keyof Own>,
    answer: Object.keys(headers).length === 0 ? shown : { ...shown, headers },
    body: ownBody ?? body,
  };
}
