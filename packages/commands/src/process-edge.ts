/** The process as a command sees it. `main` passes it in, so that tests can run commands without a process. */

/** A sink of text. */
export interface TextOutput {
  write(text: string): unknown;
}

/** Standard output, which says whether its reader keeps up where it is a stream. */
interface ReadOutput extends TextOutput {
  /** False once the stream has ended or failed. */
  readonly writable?: boolean;
  /** Calls back once for an event of the stream. */
  once?(event: "drain" | "close" | "error", listener: () => void): unknown;
  off?(event: "drain" | "close" | "error", listener: () => void): unknown;
}

/**
 * Writes a text and resolves when the reader has room for more, or is gone.
 * @returns undefined where it has room already
 */
export function writeToReader(output: ReadOutput, text: string): Promise<void> | undefined {
  // A stream that has closed takes nothing, and tells nothing any more.
  if (output.writable === false) return undefined;
  if (output.write(text) !== false || output.once === undefined) return undefined;
  return new Promise((resolve) => {
    const done = (): void => {
      for (const event of EVENTS) output.off?.(event, done);
      resolve();
    };
    for (const event of EVENTS) output.once?.(event, done);
  });
}

const EVENTS = ["drain", "close", "error"] as const;

/** The process around a command. */
export interface ProcessEdge {
  readonly stdout: ReadOutput & { readonly isTTY?: boolean };
  readonly stderr: TextOutput;
  /** Calls back for each SIGTERM or SIGINT. */
  onStop(listener: () => void): void;
  /** Calls back for each SIGHUP. */
  onReload(listener: () => void): void;
  /** Ends the process at once, whatever is under way. */
  abort(code: number): void;
}
