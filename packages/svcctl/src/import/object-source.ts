/** Objects of a store outside of the data server, for `svcctl ingest`. */

/** One object. */
export interface SourceObject {
  /** Its URI. */
  readonly address: string;
  /** Its name below the folder of the prefix that was asked for. */
  readonly relative: string;
  readonly size: number;
  /** Hexadecimal MD5, or what the store has in its place. */
  readonly checksum: string;
  /** Seconds since 1970. */
  readonly mtime: number;
}

/** Settings for stores. */
export interface SourceSettings {
  /** Address of a store that speaks S3; undefined for that of the public service. */
  readonly s3Endpoint: string | undefined;
}

/** Lists the objects whose URIs begin with a text. */
export type ListSource = (uri: URL, settings: SourceSettings) => AsyncIterable<SourceObject>;

/**
 * The folder that a prefix ends in: names are relative to it, so that a prefix which ends within a name does not cut it.
 */
export function folderOfPrefix(prefix: string): string {
  return prefix.slice(0, prefix.lastIndexOf("/") + 1);
}
