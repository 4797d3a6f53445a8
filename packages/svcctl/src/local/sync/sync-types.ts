/** A synchronization of a folder with a repository, and what came of it. */

import type { LocalSettings } from "../../settings/load-settings.ts";
import type { ContentLink } from "../../transfer/connection/content-link.ts";
import type { PresignMode } from "../../transfer/presign-mode.ts";
import type { Progress } from "../../transfer/progress.ts";
import type { SvcUri } from "../../uri/svc-uri.ts";
import type { Change } from "../compare/changes.ts";

/** A synchronization. */
export interface Sync {
  readonly link: ContentLink;
  /** The folder, absolute. */
  readonly root: string;
  /** The other side: downloads come from this ref, uploads go to it. */
  readonly remote: SvcUri;
  readonly changes: Iterable<Change> | AsyncIterable<Change>;
  readonly settings: LocalSettings;
  readonly mode: PresignMode;
  readonly parallelism: number;
  readonly progress: Progress;
  readonly warn: (text: string) => void;
  /** Told of each file that was moved, such as `upload a.csv`. */
  readonly moved: (text: string) => void;
  /** Folders that are empty afterwards go. */
  readonly prune: boolean;
  readonly signal: AbortSignal;
}

/** Numbers of files that were moved. */
export interface Tasks {
  downloaded: number;
  uploaded: number;
  removed: number;
}
