/** The jobs of the thread that learns from use. Directory and use are JSON texts as bytes, which cost little to send. */

/** The common part of every job. */
interface Common {
  /** A `DirectoryImage` as JSON. */
  readonly image: Uint8Array;
  /** A `KnownUse` as JSON. */
  readonly use: Uint8Array;
  /** Unix milliseconds. */
  readonly now: number;
}

/** Finds what was not used. */
export interface UnusedJob extends Common {
  readonly kind: "unused";
  /** Unix milliseconds. */
  readonly since: number;
}

/** A job. */
export type AccessJob = UnusedJob;

/** The answer of a job: a body, or why there is none. */
export type AccessResult = { readonly body: string } | { readonly refused: string };

/** Data of the thread. */
export interface AccessThreadData {
  readonly partition: string;
}
