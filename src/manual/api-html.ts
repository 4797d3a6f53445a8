/** OpenAPI documents as a page for people: operations in groups, each with parameters, bodies, examples and errors. */

import { escapeHtml } from "@svc-authorizer/policy/html.ts";
import type {
  Content,
  OpenApiDocument,
  Operation,
  Parameter,
  Response,
  Schema,
} from "../http/openapi/openapi-types.ts";
import type { Heading } from "./rendered.ts";
import { membersHtml, type SchemaContext, textOf, typeHtml } from "./schema-html.ts";

/** A document, and the word that its ids begin with. */
export interface NamedDocument {
  readonly name: string;
  readonly document: OpenApiDocument;
}

/** The page. */
interface ApiPage {
  readonly html: string;
  readonly headings: readonly Heading[];
}

interface Shown {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Renders the documents as one page. */
export function apiPage(documents: readonly NamedDocument[], inline: (text: string) => string): ApiPage {
  const parts = documents.map((one) => new DocumentHtml(one, inline));
  const html = [
    "<h1>API reference</h1>",
    `<p>Every operation of both listeners. The same as machines read it: <code>GET /openapi.json</code> on each listener.</p>`,
    '<p class="filter" hidden><label for="filter">Find an operation</label><input type="search" id="filter" placeholder="path, name, word"><span role="status" id="found"></span></p>',
    ...parts.map((part) => part.html()),
  ].join("\n");
  return { html, headings: parts.flatMap((part) => part.headings()) };
}

class DocumentHtml {
  readonly #name: string;
  readonly #document: OpenApiDocument;
  readonly #context: SchemaContext;
  readonly #byTag: ReadonlyMap<string, readonly Shown[]>;

  constructor({ name, document }: NamedDocument, inline: (text: string) => string) {
    this.#name = name;
    this.#document = document;
    this.#context = { inline, idOf: (schema) => `${name}-schema-${schema}` };
    this.#byTag = Map.groupBy(this.#operations(), ({ operation }) => operation.tags[0] ?? "");
  }

  headings(): readonly Heading[] {
    const tags = [...this.#byTag.keys()].map((tag) => ({ level: 3, text: tag, anchor: this.#tagId(tag) }));
    return [
      { level: 2, text: this.#document.info.title, anchor: this.#name },
      ...tags,
      { level: 3, text: "Schemas", anchor: `${this.#name}-schemas` },
    ];
  }

  html(): string {
    const { info, components, tags } = this.#document;
    const { inline } = this.#context;
    const about = new Map(tags.map(({ name, description }) => [name, description]));
    const groups = [...this.#byTag].map(([tag, operations]) => {
      const description = about.get(tag);
      const text = description === undefined ? "" : `<p>${inline(description)}</p>`;
      return `<section class="group"><h3 id="${this.#tagId(tag)}">${escapeHtml(tag)}</h3>${text}${operations.map((one) => this.#operation(one)).join("\n")}</section>`;
    });
    const schemas = Object.entries(components.schemas).map(
      ([name, schema]) =>
        `<details class="schema" id="${this.#context.idOf(name)}"><summary><code>${escapeHtml(name)}</code></summary><p>${typeHtml({ ...schema, ...(schema.properties && { type: "object" }) }, this.#context)}. ${textOf(schema, this.#context)}</p>${membersHtml(schema, this.#context)}</details>`,
    );
    return `<section class="document"><h2 id="${this.#name}">${escapeHtml(info.title)}</h2>
<p>${inline(info.description)}</p>
<h3>Headers that calls may have</h3>${this.#parameters(this.#headers())}
${groups.join("\n")}
<section class="group"><h3 id="${this.#name}-schemas">Schemas</h3>${schemas.join("\n")}</section></section>`;
  }

  #tagId(tag: string): string {
    return `${this.#name}-${tag.replaceAll(/\W+/g, "-").toLowerCase()}`;
  }

  #operations(): readonly Shown[] {
    return Object.entries(this.#document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        id: `${this.#name}-${operation.operationId}`,
        method: method.toUpperCase(),
        path,
        operation,
      })),
    );
  }

  #operation({ id, method, path, operation }: Shown): string {
    const { summary, description, parameters = [], requestBody, responses, security } = operation;
    const { inline } = this.#context;
    const own = (parameters as readonly Parameter[]).filter(isOwn);
    const body = requestBody === undefined ? "" : `<h4>Body</h4>${this.#content(requestBody.content)}`;
    const answers = Object.entries(responses).map(([status, one]) => this.#response(status, one));
    return `<details class="operation" id="${id}"><summary><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path)}</code> <span class="summary">${escapeHtml(summary)}</span></summary>
<p>${inline(description ?? "")}</p>${accessHtml(security)}
${own.length === 0 ? "" : "<h4>Parameters</h4>"}${this.#parameters(own)}${body}
<h4>Answers</h4><dl class="answers">${answers.join("")}</dl></details>`;
  }

  /** Parameters that are headers, which many operations share. */
  #headers(): readonly Parameter[] {
    const all = this.#operations().flatMap(({ operation }) => operation.parameters ?? []) as Parameter[];
    return [...new Map(all.filter((one) => !isOwn(one)).map((one) => [one.name, one])).values()];
  }

  #parameters(parameters: readonly Parameter[]): string {
    if (parameters.length === 0) return "";
    const rows = parameters.map(({ name, in: place, required, schema, description }) => {
      const mark = required === true ? ' <span class="required">required</span>' : "";
      const text = textOf({ ...schema, description }, this.#context);
      return `<tr><th scope="row"><code>${escapeHtml(name)}</code>${mark}</th><td>${place}</td><td>${typeHtml(schema, this.#context)}</td><td>${text}</td></tr>`;
    });
    return `<div class="table"><table><thead><tr><th>Name</th><th>In</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
  }

  #content(content: Content): string {
    return Object.entries(content)
      .map(([type, { schema, example }]) => {
        const shown = typeof example === "string" ? example : JSON.stringify(example, undefined, 2);
        const code =
          example === undefined
            ? ""
            : `<p class="label">Example</p><pre tabindex="0"><code>${escapeHtml(shown)}</code></pre>`;
        return `<p class="type"><code>${escapeHtml(type)}</code>: ${typeHtml(schema, this.#context)}</p>${membersHtml(this.#resolved(schema), this.#context)}${code}`;
      })
      .join("");
  }

  /** A named schema in place of a reference to it. */
  #resolved(schema: Schema): Schema {
    const name = schema.$ref?.split("/").at(-1) ?? "";
    return this.#document.components.schemas[name] ?? schema;
  }

  #response(status: string, one: Operation["responses"][string]): string {
    const isCommon = "$ref" in one;
    const response = isCommon ? this.#common(one.$ref) : one;
    const text = this.#context.inline(response?.description ?? "");
    const content = response?.content === undefined || isCommon ? "" : this.#content(response.content);
    return `<dt><code>${escapeHtml(status)}</code></dt><dd><p>${text}</p>${content}</dd>`;
  }

  #common(reference: string): Response | undefined {
    return this.#document.components.responses[reference.split("/").at(-1) ?? ""];
  }
}

function isOwn({ in: place }: Parameter): boolean {
  return place !== "header";
}

function accessHtml(security: Operation["security"]): string {
  if (security.length === 0) return "<p>Needs no credential.</p>";
  const scopes = [...new Set(security.flatMap((one) => Object.values(one).flat()))];
  return scopes.length === 0
    ? ""
    : `<p>Needs a token with scope ${scopes.map((scope) => `<code>${escapeHtml(scope)}</code>`).join(" or ")}.</p>`;
}
