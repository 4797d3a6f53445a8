// Removes from node_modules of a container image what the service does not run: the clone's lock file also installs
// what its other packages need. What is optional in the published package stays, since nobody installs into an image.
//
// usage: node build/keep-modules.ts, after npm ci --omit=dev

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BUNDLED } from "./bundled.ts";

const root = join(import.meta.dirname, "..");
type Names = Readonly<Record<string, unknown>>;
/** A package in package-lock.json. */
interface Locked {
  readonly dependencies?: Names;
  readonly optionalDependencies?: Names;
  readonly peerDependencies?: Names;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}
/** The packages of package-lock.json, by their places. */
type Packages = Readonly<Record<string, Locked>>;

const read = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"));
/** The packages of the clone that the service is compiled from. */
const SOURCES = ["package.json", "packages/policy/package.json", "packages/commands/package.json"];

/** The place of a package as one at `path` finds it; undefined where the lock file has none, as for other platforms. */
function placeFrom(path: string, name: string, packages: Packages): string | undefined {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    const place = `${at === "" ? "" : `${at}/`}node_modules/${name}`;
    if (place in packages) return place;
    if (at === "") return undefined;
  }
}

/**
 * Returns the places in node_modules that the service needs, with all that they need.
 * @throws Error for a dependency of the service that the lock file lacks
 */
export function modulesOfService(packages: Packages): ReadonlySet<string> {
  const wanted = SOURCES.flatMap((path) => Object.keys(read(path).dependencies));
  const places = wanted
    .filter((name) => !name.startsWith("@svc-authorizer/") && !BUNDLED.includes(name))
    .map((name) => {
      const place = placeFrom("", name, packages);
      if (place === undefined) throw new Error(`package-lock.json has no ${name}`);
      return place;
    });
  const kept = new Set(places);
  for (const place of kept) {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = packages[
      place
    ] as Locked;
    const peers = Object.keys(peerDependencies ?? {}).filter(
      (name) => !peerDependenciesMeta?.[name]?.optional,
    );
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      const found = placeFrom(place, name, packages);
      if (found !== undefined) kept.add(found);
    }
  }
  return kept;
}

if (import.meta.main) {
  const { packages } = read("package-lock.json") as { packages: Packages };
  const kept = [...modulesOfService(packages)];
  for (const place of Object.keys(packages)) {
    // What is kept may stand below a package that is not.
    const isNeeded = kept.some((one) => one === place || one.startsWith(`${place}/`));
    if (/(?:^|\/)node_modules\//.test(place) && !isNeeded) {
      rmSync(join(root, place), { recursive: true, force: true });
    }
  }
}
