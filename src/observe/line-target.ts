/** Port inside observe: where batches of whole lines go. One call of `write`, `reopen` or `close` at a time. */
export interface LineTarget {
  /** Writes a batch of lines; resolves when the operating system has all of it. */
  write(batch: string): Promise<void>;
  /**
   * For the end of the process, when no promise resolves any more: writes what the operating system has not yet
   * got of the batch under way, then `text`. Throws when that fails.
   */
  writeSync(text: string): void;
  /** Closes and opens the file of the same name again (after an external rotation). */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

/** Mode of files that this service creates: logs and audit logs name users and resources. */
export const FILE_MODE = 0o600;
