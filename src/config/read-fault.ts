/** The reasons for which a file cannot be read, as sentences. */

const READ_FAULTS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file"],
  ["ENOTDIR", "there is no such file"],
  ["EACCES", "cannot be read: permission denied"],
  ["EISDIR", "cannot be read: it is a folder"],
  ["ERR_ENCODING_INVALID_ENCODED_DATA", "is not UTF-8 text"],
]);

/** The fault of a failed read, to stand behind the name of the file. */
export function readFaultOf(error: unknown): string {
  const { code = "unknown error" } = error as NodeJS.ErrnoException;
  return READ_FAULTS.get(code) ?? `cannot be read (${code})`;
}
