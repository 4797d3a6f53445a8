import { posix } from "node:path";
import { parseAst } from "vitest/node";
import { isNode, type Node, walk } from "./source-imports.ts";

/** Names that a file takes of another one. */
interface Taken {
  /** Path of the other file. */
  readonly file: string;
  /** The names; undefined where any name may be meant, as with `import *`. */
  readonly names: readonly string[] | undefined;
}

/** The names that a file gives and takes. */
export interface Exchanged {
  /** Path below the root of the repository. */
  readonly path: string;
  /** Names that it exports; without a default. */
  readonly given: readonly string[];
  /** Those of them that it uses itself. */
  readonly usedHere: ReadonlySet<string>;
  readonly taken: readonly Taken[];
}

/** Reads one source. Throws when the text does not parse. */
export function readExchanged(path: string, text: string): Exchanged {
  const program = parseAst(text, { lang: path.endsWith(".tsx") ? "tsx" : "ts" }) as unknown as Node;
  const given = (program["body"] as readonly Node[]).flatMap(exportsOf);
  const taken: Taken[] = [];
  const uses = new Map<string, number>();
  const take = (source: unknown, names: readonly string[] | undefined): void => {
    const file = isNode(source) ? fileOf(path, String(source["value"])) : undefined;
    if (file !== undefined) taken.push({ file, names });
  };
  const loaded = new Map<Node, readonly string[] | undefined>();
  walk(program, (node) => {
    if (node.type === "Identifier") uses.set(String(node["name"]), (uses.get(String(node["name"])) ?? 0) + 1);
    for (const [call, names] of namesOfLoaded(node)) loaded.set(call, names);
    if (node.type === "ImportDeclaration" || node.type === "ExportNamedDeclaration") {
      take(node["source"], specifierNames(node));
    }
    if (node.type === "ExportAllDeclaration") take(node["source"], undefined);
    if (node.type === "TSImportType") take(node["source"], qualifier(node["qualifier"]));
    if (node.type === "ImportExpression") take(node["source"], loaded.get(node));
  });
  const usedHere = new Set(given.filter((name) => (uses.get(name) ?? 0) > 1));
  return { path, given, usedHere, taken };
}

/** The exports that no other source takes. Where a file uses one itself, that another reader takes it is enough. */
export function unusedExports(sources: readonly Exchanged[], others: readonly Exchanged[] = []): string[] {
  const bySources = takenNames(sources);
  const byOthers = takenNames(others);
  return sources.flatMap(({ path, given, usedHere }) =>
    given
      .filter((name) => !bySources(path, name) && !(usedHere.has(name) && byOthers(path, name)))
      .map((name) => `${path}: ${name}`),
  );
}

function takenNames(takers: readonly Exchanged[]): (file: string, name: string) => boolean {
  const whole = new Set<string>();
  const single = new Set<string>();
  for (const { file, names } of takers.flatMap(({ taken }) => taken)) {
    if (names === undefined) whole.add(file);
    else for (const name of names) single.add(`${file}: ${name}`);
  }
  return (file, name) => whole.has(file) || single.has(`${file}: ${name}`);
}

/** The file that a specifier names; undefined for packages of others. */
function fileOf(from: string, specifier: string): string | undefined {
  const [, name, rest] = /^@svc-authorizer\/([^/]+)\/(.+)$/.exec(specifier) ?? [];
  if (name !== undefined) return `packages/${name}/src/${rest}`;
  return specifier.startsWith(".") ? posix.join(posix.dirname(from), specifier) : undefined;
}

/** The names that a statement exports, as others take them. */
function exportsOf(node: Node): string[] {
  if (node.type !== "ExportNamedDeclaration") return [];
  const { declaration } = node;
  if (!isNode(declaration)) return (node["specifiers"] as Node[]).map((one) => nameOf(one["exported"]));
  if (declaration.type === "VariableDeclaration") {
    return (declaration["declarations"] as Node[]).flatMap(({ id }) => namesIn(id));
  }
  return [nameOf(declaration["id"])];
}

/** The names that `a` or `{ a: b, c }` declares. */
function namesIn(pattern: unknown): string[] {
  if (!isNode(pattern) || pattern.type !== "ObjectPattern") return [nameOf(pattern)];
  return (pattern["properties"] as Node[]).map(({ value }) => nameOf(value));
}

/** The names that an import or a re-export takes; undefined for all. */
function specifierNames(node: Node): readonly string[] | undefined {
  const specifiers = node["specifiers"] as readonly Node[];
  if (specifiers.some(({ type }) => type === "ImportNamespaceSpecifier")) return undefined;
  return specifiers.map((one) => nameOf(one["imported"] ?? one["local"]));
}

/** `import("./x.ts").Name.Inner` takes `Name`. */
function qualifier(node: unknown): readonly string[] | undefined {
  if (!isNode(node)) return undefined;
  return node.type === "TSQualifiedName" ? qualifier(node["left"]) : [nameOf(node)];
}

/**
 * Calls of `import()` whose names stand beside them: `const { a } = await import(…)`, `(await import(…)).a`,
 * `import(…).then(({ a }) => …)` and `import(…).then((m) => m.a)`.
 */
function namesOfLoaded(node: Node): [Node, readonly string[] | undefined][] {
  if (node.type === "VariableDeclarator") return named(awaited(node["init"]), patternNames(node["id"]));
  if (node.type === "MemberExpression") {
    return named(awaited(node["object"]), node["computed"] === true ? undefined : [nameOf(node["property"])]);
  }
  if (node.type !== "CallExpression" || !isNode(node["callee"])) return [];
  const { object, property } = node["callee"] as Node;
  const [use] = node["arguments"] as readonly Node[];
  if (!isNode(property) || nameOf(property) !== "then" || use?.type !== "ArrowFunctionExpression") return [];
  const [parameter] = use["params"] as readonly Node[];
  const isMember = isNode(use["body"]) && use["body"].type === "MemberExpression";
  const members = isMember ? [nameOf((use["body"] as Node)["property"])] : undefined;
  return named(object, patternNames(parameter) ?? members);
}

const named = (call: unknown, names: readonly string[] | undefined): [Node, typeof names][] =>
  isNode(call) && call.type === "ImportExpression" ? [[call, names]] : [];

const awaited = (node: unknown): unknown =>
  isNode(node) && node.type === "AwaitExpression" ? node["argument"] : undefined;

/** The names that `{ a, b: c }` takes; undefined for another pattern. */
function patternNames(pattern: unknown): readonly string[] | undefined {
  if (!isNode(pattern) || pattern.type !== "ObjectPattern") return undefined;
  const properties = pattern["properties"] as readonly Node[];
  return properties.some(({ type }) => type === "RestElement")
    ? undefined
    : properties.map(({ key }) => nameOf(key));
}

function nameOf(node: unknown): string {
  return isNode(node) ? String(node["name"] ?? node["value"]) : "";
}
