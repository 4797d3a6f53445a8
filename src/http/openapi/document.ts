/** The OpenAPI 3.1 document of a listener, derived from the declarations of its routes. */

import type {
  Content,
  Header,
  MediaType,
  Method,
  OpenApiDocument,
  Operation,
  Parameter,
  Reference,
  Response,
  Schema,
  Schemas,
  SecurityScheme,
} from "./openapi-types.ts";

/** The body that an operation takes. */
export interface DescribedBody {
  /** Default `application/json`. */
  readonly type?: string;
  readonly schema: Schema;
  readonly example: unknown;
  /** The same call with newline-delimited JSON. */
  readonly lines?: MediaType;
}

/** The answer of an operation that succeeds. */
export interface DescribedAnswer {
  readonly status: 200 | 201 | 204 | 303;
  readonly description: string;
  /** Default `application/json`. */
  readonly type?: string;
  /** Absent: the answer has no body. */
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly headers?: { readonly [name: string]: Header };
  readonly lines?: MediaType;
}

/** An operation as clients see it: everything that its declaration says besides how it is done. */
export interface Described {
  /** Unique over the document. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With parameters as `{name}`, each a whole segment. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly query?: readonly Parameter[];
  readonly body?: DescribedBody;
  readonly answer: DescribedAnswer;
  /** Statuses of failures beside those that all operations of the API have. */
  readonly errors?: readonly number[];
  /** Responses to failures that differ from those of the API, by status. */
  readonly failures?: { readonly [status: string]: Response };
}

/**
 * Responses to failures by status, with the name of the component that they become; `default` is any other failure.
 */
export type Failures = { readonly [status: string]: { readonly name: string; readonly response: Response } };

/** A path parameter, as a document describes it. */
interface PathParameter {
  readonly description: string;
  readonly example: string;
}

/** The ways in which callers authenticate, one of which is enough; none: no credential is needed. */
type Security = readonly { readonly [scheme: string]: readonly string[] }[];

/** An operation with the way in which its callers authenticate. */
export interface SecuredOperation extends Described {
  readonly security: Security;
}

/** The operations of one API with what they share. */
interface DescribedApi {
  readonly operations: readonly SecuredOperation[];
  readonly failures: Failures;
  /** Statuses of failures that an operation has because of its form. */
  readonly commonErrors: (operation: SecuredOperation) => readonly number[];
  /** Path parameters by name. */
  readonly parameters: { readonly [name: string]: PathParameter };
  /** Returns whether an operation answers from the directory, so that its answers name a revision. */
  readonly isRevised: (operation: SecuredOperation) => boolean;
}

/** The parts of a document. */
interface DocumentParts {
  readonly info: Pick<OpenApiDocument["info"], "title" | "version" | "summary" | "description">;
  readonly tags: OpenApiDocument["tags"];
  readonly apis: readonly DescribedApi[];
  /** Schemas that operations refer to; those that none refers to are left out. */
  readonly schemas: Schemas;
  readonly securitySchemes: { readonly [name: string]: SecurityScheme };
}

const LICENSE = { name: "Apache License 2.0", identifier: "Apache-2.0" };
/** Keywords of the check of bodies. */
const CHECK_KEYWORDS: ReadonlySet<string> = new Set([
  "x-maxBytes",
  "x-maxItems",
  "x-later",
  "x-form",
  "x-says",
]);
const SCHEMA_PREFIX = "#/components/schemas/";

/** Every answer has it. */
const REQUEST_ID: { readonly [name: string]: Header } = {
  "X-Request-ID": {
    description: "The request's own X-Request-ID, or one that was made for it.",
    required: true,
    schema: { type: "string" },
  },
};

const REQUEST_ID_PARAMETER: Parameter = {
  name: "X-Request-ID",
  in: "header",
  description:
    "Returned in the answer and written to the logs. One that is longer than 128 characters or not printable ASCII is replaced.",
  schema: { type: "string" },
};

const REVISION: { readonly [name: string]: Header } = {
  "X-Svc-Revision": {
    description:
      "`N.log`: the answer was given from revision N of the directory or a later one; after a write, N is its revision. `log` names the log of commits.",
    schema: { type: "string", pattern: "^[0-9]+\\.[A-Za-z0-9_-]{8}$" },
  },
  "X-Svc-Position": {
    description:
      "`N.LOG.ENTRY`: the same, with the entry of revision N by its id, because a number is given twice where a database is put back. Send it as X-Svc-Min-Position.",
    schema: { type: "string", pattern: "^[0-9]+(\\.[A-Za-z0-9_-]{8}){2}$" },
  },
};

const MIN_REVISION_PARAMETER: Parameter = {
  name: "X-Svc-Min-Revision",
  in: "header",
  description:
    "`N` or `N.log`: the answer has to be given from revision N or a later one. The service waits for it up to 2 seconds. 503 with code `behind`: it is not reached; 409 with code `other_log`: another log is meant, or revision N is not in the log.",
  schema: { type: "string", pattern: "^[0-9]{1,15}(\\.[A-Za-z0-9_-]{8})?$" },
};

const MIN_POSITION_PARAMETER: Parameter = {
  name: "X-Svc-Min-Position",
  in: "header",
  description:
    "`N.LOG.ENTRY`: the answer has to be given from this entry or one that follows it. As X-Svc-Min-Revision; 409 with code `went_back` where the log has lost the entry: forget it, and what was read with it.",
  schema: { type: "string", pattern: "^[0-9]{1,15}(\\.[A-Za-z0-9_-]{8}){2}$" },
};

/** Builds the document. */
export function openApiDocument({
  info,
  tags,
  apis,
  schemas,
  securitySchemes,
}: DocumentParts): OpenApiDocument {
  const paths: Record<string, Record<string, Operation>> = {};
  const responses: Record<string, Response> = {};
  for (const api of apis) {
    for (const { name, response } of Object.values(api.failures))
      responses[name] = withHeaders(response, true);
    for (const operation of api.operations) {
      const method = operation.method.toLowerCase() as Method;
      paths[operation.path] = { ...paths[operation.path], [method]: operationOf(api, operation) };
    }
  }
  const used = reachable(schemas, [paths, responses]);
  const usedResponses = referenced(paths, "#/components/responses/");
  return {
    openapi: "3.1.1",
    info: { ...info, license: LICENSE },
    tags,
    paths,
    components: {
      schemas: forClients(picked(schemas, used)),
      responses: picked(responses, usedResponses),
      securitySchemes,
    },
  };
}

function operationOf(api: DescribedApi, described: SecuredOperation): Operation {
  const { id, tag, summary, description, body, answer, query = [], failures = {} } = described;
  const pathParameters = [...described.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    return pathParameter(name, api.parameters[name]);
  });
  const isRevised = api.isRevised(described);
  const statuses = [...new Set([...(described.errors ?? []), ...api.commonErrors(described)])];
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    parameters: [
      ...pathParameters,
      ...query,
      REQUEST_ID_PARAMETER,
      ...(isRevised ? [MIN_REVISION_PARAMETER, MIN_POSITION_PARAMETER] : []),
    ],
    ...(body === undefined ? {} : { requestBody: { required: true, content: contentOf(body) } }),
    responses: {
      [answer.status]: withHeaders(answerOf(answer), isRevised),
      ...failureRefs(id, api.failures, statuses, failures),
      ...Object.fromEntries(
        Object.entries(failures).map(([status, response]) => [status, withHeaders(response, isRevised)]),
      ),
    },
    security: described.security,
  };
}

function contentOf({ type = "application/json", schema, example, lines }: DescribedBody): Content {
  const media = { [type]: { schema, example } };
  return lines === undefined ? media : { ...media, "application/x-ndjson": lines };
}

function answerOf({ description, schema, example, headers = {}, type, lines }: DescribedAnswer): Response {
  const response = { description, headers };
  if (schema === undefined) return response;
  const media = example === undefined ? { schema } : { schema, example };
  const content = { [type ?? "application/json"]: media };
  return {
    ...response,
    content: lines === undefined ? content : { ...content, "application/x-ndjson": lines },
  };
}

function withHeaders(response: Response, isRevised: boolean): Response {
  return { ...response, headers: { ...REQUEST_ID, ...(isRevised && REVISION), ...response.headers } };
}

function pathParameter(name: string, parameter: PathParameter | undefined): Parameter {
  const { description = "", example } = parameter ?? {};
  return { name, in: "path", required: true, description, schema: { type: "string", minLength: 1 }, example };
}

/** @throws Error for a status that nothing describes: the document would not have what the operation answers. */
function failureRefs(
  id: string,
  failures: Failures,
  statuses: readonly number[],
  own: NonNullable<Described["failures"]>,
): { readonly [status: string]: Reference } {
  const named = [...statuses].sort((a, b) => a - b).map(String);
  return Object.fromEntries(
    [...named, "default"].flatMap((status) => {
      const failure = failures[status];
      if (failure !== undefined) return [[status, { $ref: `#/components/responses/${failure.name}` }]];
      if (status === "default" || own[status] !== undefined) return [];
      throw new Error(`${id}: status ${status} is not described`);
    }),
  );
}

/** The names that a value refers to below a prefix. */
function referenced(value: unknown, prefix: string): ReadonlySet<string> {
  const found = new Set<string>();
  const look = (inner: unknown): void => {
    if (typeof inner !== "object" || inner === null) return;
    const { $ref } = inner as { $ref?: unknown };
    if (typeof $ref === "string" && $ref.startsWith(prefix)) found.add($ref.slice(prefix.length));
    for (const member of Object.values(inner)) look(member);
  };
  look(value);
  return found;
}

/** The schemas that values refer to, directly or through others. */
function reachable(schemas: Schemas, values: readonly unknown[]): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [...referenced(values, SCHEMA_PREFIX)];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    waiting.push(...referenced(schemas[name], SCHEMA_PREFIX));
  }
  return found;
}

function picked<T>(
  from: { readonly [name: string]: T },
  names: ReadonlySet<string>,
): { readonly [name: string]: T } {
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.has(name)));
}

/** Schemas without what only the check of bodies reads. */
function forClients<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(forClients) as T;
  const members = Object.entries(value).filter(([name]) => !CHECK_KEYWORDS.has(name));
  return Object.fromEntries(members.map(([name, inner]) => [name, forClients(inner)])) as T;
}
