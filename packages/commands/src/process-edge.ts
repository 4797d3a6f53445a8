/** The process as a command sees it. `main` passes it in, so that tests can run commands without a process. */

/** A sink of text. */
export interface TextOutput {
  write(text: string): unknown;
}

/** The process around a command. */
export interface ProcessEdge {
  readonly stdout: TextOutput & { readonly isTTY?: boolean };
  readonly stderr: TextOutput;
  /** Calls back for each SIGTERM or SIGINT. */
  onStop(listener: () => void): void;
  /** Calls back for each SIGHUP. */
  onReload(listener: () => void): void;
  /** Ends the process at once, whatever is under way. */
  abort(code: number): void;
}
