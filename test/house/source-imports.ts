import { readdirSync } from "node:fs";
import { posix } from "node:path";
import { parseAst } from "vitest/node";

/** One import, export-from or dynamic import of a source file. */
export interface Import {
  /** The target as it is written: "./x.ts", "node:fs", "express". */
  readonly specifier: string;
  /** The imported source, named as in `Source.path`; undefined for packages of others. */
  readonly file: string | undefined;
  readonly typeOnly: boolean;
}

/** The facts about a source file that the rules need. */
export interface Source {
  /** Path below `src`, or behind the name of a package of ours: "http/server.ts", "policy/model/arn.ts". */
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  /** Dynamic imports whose target is not a literal. */
  readonly computedImports: number;
  readonly readsEnvironment: boolean;
  /** Nothing but re-exports, or an `export *`. */
  readonly barrel: boolean;
}

/** A node of a syntax tree. */
export interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Reads one source; `path` as in `Source`. Throws when the text does not parse. */
export function readSource(path: string, text: string): Source {
  const program = parseAst(text, { lang: path.endsWith(".tsx") ? "tsx" : "ts" }) as unknown as Node;
  const imports: Import[] = [];
  let computedImports = 0;
  let readsEnvironment = false;
  walk(program, (node) => {
    const specifier = specifierOf(node);
    if (typeof specifier === "string") imports.push(importOf(path, specifier, isTypeOnly(node)));
    else if (node.type === "ImportExpression") computedImports += 1;
    if (isEnvironmentRead(node)) readsEnvironment = true;
  });
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return { path, lines, imports, computedImports, readsEnvironment, barrel: isBarrel(path, program) };
}

/** Calls `visit` for every node, parents first. */
export function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, visit);
  } else if (isNode(value)) {
    visit(value);
    for (const child of Object.values(value)) if (typeof child === "object") walk(child, visit);
  }
}

/** True for a node of a syntax tree. */
export function isNode(value: unknown): value is Node {
  return (
    typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string"
  );
}

const IMPORTS = new Set([
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
  "TSImportType",
]);

/** The target of a node that imports, when it is a literal. */
function specifierOf(node: Node): unknown {
  if (IMPORTS.has(node.type)) return isNode(node["source"]) ? node["source"]["value"] : undefined;
  if (node.type !== "CallExpression" || !isRequire(node["callee"])) return undefined;
  const [target] = node["arguments"] as readonly Node[];
  return target?.["value"];
}

/** `require`, or what `createRequire(…)` returns. */
function isRequire(callee: unknown): boolean {
  if (!isNode(callee)) return false;
  return nameOf(callee) === "require" || nameOf(callee["callee"]) === "createRequire";
}

function isTypeOnly(node: Node): boolean {
  if (node.type === "TSImportType" || node["importKind"] === "type" || node["exportKind"] === "type")
    return true;
  const specifiers = node["specifiers"];
  if (!Array.isArray(specifiers) || specifiers.length === 0) return false;
  return specifiers.every((one: Node) => one["importKind"] === "type" || one["exportKind"] === "type");
}

function importOf(from: string, specifier: string, typeOnly: boolean): Import {
  return { specifier, file: fileOf(from, specifier), typeOnly };
}

/** The packages of this clone. */
export const OWN_PACKAGES: readonly string[] = readdirSync(new URL("../../packages/", import.meta.url));

function fileOf(from: string, specifier: string): string | undefined {
  const [scope, name = "", ...path] = specifier.split("/");
  if (scope === "@svc-authorizer") return [name, ...path].join("/");
  return specifier.startsWith(".")
    ? nameOfSource(posix.join(posix.dirname(placeOf(from)), specifier))
    : undefined;
}

/** The package of ours that a source belongs to; "" for the service. */
export function packageOf(path: string): string {
  const [first = ""] = path.split("/");
  return OWN_PACKAGES.includes(first) ? first : "";
}

/** From the name of a source to its path in the clone. */
function placeOf(name: string): string {
  const owner = packageOf(name);
  return owner === "" ? `src/${name}` : `packages/${owner}/src/${name.slice(owner.length + 1)}`;
}

/** From a path in the clone to the name of a source: "policy/model/arn.ts". A path outside of sources begins with "../". */
export function nameOfSource(path: string): string {
  const place = /^(?:src|packages\/([\w-]+)\/src)\/(.*)$/.exec(path);
  if (place === null) return `../${path}`;
  const [, owner, rest = ""] = place;
  return owner === undefined ? rest : `${owner}/${rest}`;
}

/** `process.env`, `process["env"]`, `const { env } = process`, and `env` imported from the process module. */
function isEnvironmentRead(node: Node): boolean {
  if (node.type === "MemberExpression") {
    return isProcess(node["object"]) && nameOf(node["property"]) === "env";
  }
  if (node.type === "VariableDeclarator") {
    return isProcess(node["init"]) && hasNamed(node["id"], "properties", "key");
  }
  if (node.type === "ImportDeclaration" && /^(node:)?process$/.test(String(specifierOf(node)))) {
    return hasNamed(node, "specifiers", "imported");
  }
  return false;
}

function isProcess(value: unknown): boolean {
  if (!isNode(value)) return false;
  return (
    nameOf(value) === "process" ||
    (value.type === "MemberExpression" && nameOf(value["property"]) === "process")
  );
}

function hasNamed(value: unknown, list: string, key: string): boolean {
  const items = isNode(value) ? value[list] : undefined;
  return Array.isArray(items) && items.some((item: Node) => nameOf(item[key]) === "env");
}

function nameOf(value: unknown): unknown {
  if (!isNode(value)) return undefined;
  return value.type === "Identifier" ? value["name"] : value.type === "Literal" ? value["value"] : undefined;
}

function isBarrel(path: string, program: Node): boolean {
  const body = program["body"] as readonly Node[];
  const reexports = body.filter((node) => node.type.startsWith("Export") && isNode(node["source"]));
  return (
    posix.basename(path) === "index.ts" ||
    body.some((node) => node.type === "ExportAllDeclaration") ||
    (reexports.length > 0 && reexports.length === body.length)
  );
}
