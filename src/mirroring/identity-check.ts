/**
 * Compares both repositories with what they were when the mirror began, and creates the mirror's (spec/mirroring §4). A
 * repository that was deleted and made again under its name is another one: nothing that is known is true of it.
 */

import type { Mirror } from "./mirror.ts";
import { CallFailed, type Destination, type RepositoryFacts, type Source } from "./ports.ts";
import type { MirrorIdentity } from "./progress/progress.ts";

/** Name of the metadata that says to which mirror a repository belongs. */
export const MIRROR_UID = "mirror-uid";

/** The mirror cannot go on until a person has done something. */
export class MirrorFailed extends Error {
  override readonly name = "MirrorFailed";
}

/** The source's facts, and the identity of both. */
interface KnownRepositories {
  readonly source: RepositoryFacts;
  readonly identity: MirrorIdentity;
}

/**
 * Looks at both repositories.
 * @param known their identity; undefined for a mirror that has none yet: its repository is created
 * @param now Unix milliseconds
 * @throws MirrorFailed where one of them is another one than before
 */
export async function knownRepositories(
  mirror: Mirror,
  servers: { readonly source: Source; readonly destination: Destination },
  known: MirrorIdentity | undefined,
  now: number,
): Promise<KnownRepositories> {
  const source = await servers.source.repository(mirror.sourceRepository);
  if (source === undefined) {
    throw new MirrorFailed(
      `the source ${mirror.sourceRepository} does not exist any more; the mirror is left as it is: delete it`,
    );
  }
  const { createdAt: sourceCreatedAt, storageNamespace: sourceNamespace } = source;
  if (
    known !== undefined &&
    (known.sourceCreatedAt !== sourceCreatedAt || known.sourceNamespace !== sourceNamespace)
  ) {
    throw new MirrorFailed(
      `the source ${mirror.sourceRepository} was deleted and made again; delete the mirror and create it anew`,
    );
  }
  const found =
    (await servers.destination.repository(mirror.name)) ?? (await created(mirror, servers, source, known));
  assertOwn(mirror, found, known);
  const { [MIRROR_UID]: uid } = await servers.destination.metadata(mirror.name);
  if (uid !== undefined && uid !== mirror.uid) throw foreign(mirror, "belongs to another mirror");
  if (uid === undefined) await adopt(mirror, servers.destination, found, known);
  const identity = known ?? {
    sourceCreatedAt,
    sourceNamespace,
    mirrorCreatedAt: found.createdAt,
    since: now,
  };
  return { source, identity };
}

function assertOwn(mirror: Mirror, found: RepositoryFacts, known: MirrorIdentity | undefined): void {
  if (found.storageNamespace !== mirror.storageNamespace)
    throw foreign(mirror, "has another storage namespace");
  if (!found.readOnly) throw foreign(mirror, "is not read-only");
  if (known !== undefined && known.mirrorCreatedAt !== found.createdAt)
    throw foreign(mirror, "was made again");
}

/** Takes a repository that a creation of ours left behind before it could mark it, and nothing else. */
async function adopt(
  mirror: Mirror,
  destination: Destination,
  found: RepositoryFacts,
  known: MirrorIdentity | undefined,
): Promise<void> {
  if (known !== undefined) throw foreign(mirror, "lost its mark");
  if (found.createdAt < mirror.createdAt) throw foreign(mirror, "is older than the mirror");
  if ((await destination.branches(mirror.name)).length > 0) throw foreign(mirror, "has branches");
  await destination.setMetadata(mirror.name, { [MIRROR_UID]: mirror.uid });
}

async function created(
  mirror: Mirror,
  { destination }: { readonly destination: Destination },
  source: RepositoryFacts,
  known: MirrorIdentity | undefined,
): Promise<RepositoryFacts> {
  if (known !== undefined) {
    throw new MirrorFailed(
      `the repository ${mirror.name} does not exist any more; delete the mirror and create it anew`,
    );
  }
  const { storageNamespace, name } = mirror;
  const { defaultBranch } = source;
  try {
    await destination.create(name, { storageNamespace, defaultBranch });
  } catch (error) {
    // 400: a namespace or a name that the server does not take; it will not do so later.
    if (error instanceof CallFailed && error.status === 400) throw new MirrorFailed(error.message);
    if (!(error instanceof CallFailed) || error.status !== 409) throw error;
  }
  const found = await destination.repository(name);
  if (found === undefined) throw new CallFailed(`the repository ${name} is not there yet`, undefined, true);
  return found;
}

function foreign({ name }: Mirror, how: string): MirrorFailed {
  return new MirrorFailed(
    `the repository ${name} ${how}: it is not the one that this mirror made. Nothing in it is touched. Remove it and create the mirror anew, or delete the mirror`,
  );
}
