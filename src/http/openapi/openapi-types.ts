/** The words of an OpenAPI 3.1 document, as far as ours uses them. Schemas are JSON Schema 2020-12. */

/** A JSON type. */
export type JsonType = "array" | "boolean" | "integer" | "null" | "number" | "object" | "string";

/** A reference to a component. */
export interface Reference {
  readonly $ref: string;
}

/** A JSON Schema. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: JsonType | readonly JsonType[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly deprecated?: boolean;
  readonly format?: string;
  readonly contentEncoding?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  // What only the check of bodies reads; documents do not have it.
  /** Most bytes in UTF-8, or the name of that limit. */
  readonly "x-maxBytes"?: string | number;
  /** Most elements, or the name of that limit. */
  readonly "x-maxItems"?: string | number;
  /** True where the elements of a long list are checked when they are read. */
  readonly "x-later"?: boolean;
  /** The form that `pattern` stands for, in words. */
  readonly "x-form"?: string;
  /** Of `oneOf`: the problem if none or several of the alternatives match; `at` is a JSON pointer below the value. */
  readonly "x-says"?: {
    readonly none: { readonly at: string; readonly message: string };
    readonly several: { readonly at: string; readonly message: string };
  };
}

/** Schemas by the name under which references find them. */
export type Schemas = { readonly [name: string]: Schema };

/** A body in one media type. */
export interface MediaType {
  readonly schema: Schema;
  readonly example?: unknown;
  /** Of `application/x-ndjson`: the schema of each line (what OpenAPI 3.2 calls itemSchema). */
  readonly "x-itemSchema"?: Schema;
}

/** Bodies by media type. */
export type Content = { readonly [mediaType: string]: MediaType };

/** A response header. */
export interface Header {
  readonly description: string;
  /** True where every such response has it. */
  readonly required?: boolean;
  readonly schema: Schema;
}

/** A response; without `content` it has neither body nor content type. */
export interface Response {
  readonly description: string;
  readonly headers?: { readonly [name: string]: Header };
  readonly content?: Content;
}

/** A parameter of path, query or header. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly description: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
}

/** The body of a request. */
interface RequestBody {
  readonly required: boolean;
  readonly content: Content;
}

/** One method of one path. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: RequestBody;
  readonly responses: { readonly [status: string]: Response | Reference };
  /** Empty: no token is needed. The names behind `bearer` are scopes. */
  readonly security: readonly { readonly [scheme: string]: readonly string[] }[];
}

/** Methods that paths have. */
export type Method = "get" | "put" | "post" | "delete";

/** The operations of a path. */
type PathItem = { readonly [M in Method]?: Operation };

/** Path items by path template. */
type Paths = { readonly [template: string]: PathItem };

/** A way in which callers prove who they are. */
export type SecurityScheme =
  | { readonly type: "http"; readonly scheme: string; readonly description: string }
  | {
      readonly type: "apiKey";
      readonly in: "cookie";
      readonly name: string;
      readonly description: string;
    };

/** A whole document. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Paths;
  readonly components: {
    readonly schemas: Schemas;
    readonly responses: { readonly [name: string]: Response };
    readonly securitySchemes: {
      readonly [name: string]: SecurityScheme;
    };
  };
}
