/** The data servers as one mirror calls them. */

import type { Mirror } from "./mirror.ts";
import type { Destination, Source } from "./ports.ts";

/** The mirror that calls are made for. */
export type MirrorCaller = Pick<Mirror, "uid" | "name" | "sourceRepository" | "storageNamespace">;

/** Both sides of a mirror. */
interface MirrorServers {
  readonly source: Source;
  /** By region. */
  readonly destinations: ReadonlyMap<string, Destination>;
}

/** Port: the data servers, each with the key that the configuration has for it, or one of the mirror's own user. */
export interface ServerAccesses {
  readonly regions: readonly string[];
  /** @param isNew true for a mirror that has no record yet */
  for(mirror: MirrorCaller, isNew?: boolean): MirrorServers;
  /** The source for who has no mirror; undefined where only a mirror's own user may call it. */
  readonly source: Source | undefined;
  /** Removes the user of a mirror that is no more, if it has one. */
  forget(mirror: MirrorCaller): Promise<void>;
  /** Removes the users of mirrors that are no more, where that failed before; `known`: the ids of those that there are. */
  sweep(known: ReadonlySet<string>): Promise<void>;
  /** True where the data server of a region asks this service about its callers. */
  isProtected(region: string): Promise<boolean>;
}
