import { isBuiltin } from "node:module";
import { BACKENDS, BUNDLED_PACKAGES, IMPORT_TABLE, PACKAGE_OWNERS } from "./import-table.ts";
import { type Import, packageOf, type Source } from "./source-imports.ts";

/** Of a source that a person writes; what is generated (`*.gen.ts`) has the length that it has. */
const MAX_LINES = 400;

/** The names of the dependencies of the service (""), and of each package of ours, by its name. */
export type Dependencies = Readonly<Record<string, ReadonlySet<string>>>;

/** Every breach of the house's rules in these sources, one line each. */
export function breaches(sources: readonly Source[], dependencies: Dependencies): string[] {
  const found = sources.flatMap((source) => [
    ...fileBreaches(source),
    ...source.imports.flatMap((one) => importBreaches(source, one, dependencies)),
  ]);
  return [...found, ...cycles(sources)];
}

/** The room of a source: "http", "api/scim", "policy/model", "main". */
function roomOf(path: string): string {
  const [first = "", second] = path.replace(/\.tsx?$/, "").split("/");
  const nested = `${first}/${second}`;
  return second !== undefined && nested in IMPORT_TABLE ? nested : first;
}

function fileBreaches(source: Source): string[] {
  const found: string[] = [];
  const room = roomOf(source.path);
  if (!(room in IMPORT_TABLE)) found.push(`${source.path}: the import table has no row for ${room}`);
  if (source.lines > MAX_LINES && !source.path.endsWith(".gen.ts")) {
    found.push(`${source.path}: ${source.lines} lines, more than ${MAX_LINES}`);
  }
  if (source.barrel) found.push(`${source.path}: a barrel; import from the file that has it`);
  if (source.computedImports > 0) found.push(`${source.path}: imports what no reader of the text can know`);
  if (source.readsEnvironment && source.path !== "commands/environment.ts") {
    found.push(`${source.path}: reads the environment; only commands/environment.ts does`);
  }
  return found;
}

function importBreaches(source: Source, one: Import, dependencies: Dependencies): string[] {
  const message =
    one.file === undefined ? packageBreach(source, one, dependencies) : arrowBreach(source, one, one.file);
  return message === undefined ? [] : [`${source.path}: ${message}`];
}

function packageBreach(source: Source, one: Import, dependencies: Dependencies): string | undefined {
  if (isBuiltin(one.specifier)) {
    return one.specifier.startsWith("node:") ? undefined : `${one.specifier} is written without node:`;
  }
  const name = one.specifier
    .split("/")
    .slice(0, one.specifier.startsWith("@") ? 2 : 1)
    .join("/");
  const bundled = BUNDLED_PACKAGES[roomOf(source.path)];
  if (bundled !== undefined) return bundled.includes(name) ? undefined : `${name} is not bundled here`;
  if (dependencies[packageOf(source.path)]?.has(name) !== true) {
    return `${name} is not among the dependencies`;
  }
  const room = PACKAGE_OWNERS[name];
  if (room !== undefined && room !== roomOf(source.path)) return `${name} is known to ${room} alone`;
  const owner = Object.keys(BACKENDS).find((backend) => BACKENDS[backend]?.includes(name));
  return owner === undefined || owner === backendOf(source.path)
    ? undefined
    : `${name} is the driver of the store's ${owner} backend`;
}

function arrowBreach(source: Source, one: Import, target: string): string | undefined {
  if (target.startsWith("../")) return `${one.specifier} leaves the sources`;
  const [from, to] = [roomOf(source.path), roomOf(target)];
  if (from === to) return backendBreach(source.path, target);
  const row = IMPORT_TABLE[from];
  const allowed = [...(row?.may ?? []), ...(one.typeOnly ? (row?.types ?? []) : [])];
  if (allowed.includes(to) || allowed.includes(target)) return undefined;
  return `${from} may not import ${target}${one.typeOnly ? " (type)" : ""}`;
}

function backendBreach(path: string, target: string): string | undefined {
  const [from, to] = [backendOf(path), backendOf(target)];
  if (to === undefined || from === to) return undefined;
  return from === undefined
    ? `what backends share may not import ${target}`
    : `imports the sibling backend ${target}`;
}

/** The backend a file belongs to: `store/local/…`, `journal/engines/postgres.ts`, `journal/engines/postgres-listening.ts`. */
function backendOf(path: string): string | undefined {
  return Object.keys(BACKENDS).find((backend) =>
    new RegExp(`^(store|journal/engines)/${backend}(/|-|\\.ts$)`).test(path),
  );
}

/** Circles of files, types included: each once, as the way around. */
function cycles(sources: readonly Source[]): string[] {
  const targets = new Map(
    sources.map((source) => [source.path, source.imports.flatMap((one) => one.file ?? [])]),
  );
  const done = new Set<string>();
  const way: string[] = [];
  const found: string[] = [];
  const visit = (path: string): void => {
    const start = way.indexOf(path);
    if (start >= 0) found.push(`circular import: ${[...way.slice(start), path].join(" -> ")}`);
    if (start >= 0 || done.has(path)) return;
    way.push(path);
    for (const target of targets.get(path) ?? []) visit(target);
    way.pop();
    done.add(path);
  };
  for (const source of sources) visit(source.path);
  return found;
}
