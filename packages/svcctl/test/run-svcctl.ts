import { PassThrough, Readable, Writable } from "node:stream";
import type { Environment } from "@svc-authorizer/commands/environment.ts";
import { runSvcctl } from "@svc-authorizer/svcctl/program.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

export interface RunOptions {
  /** Standard output is a terminal. */
  terminal?: boolean;
  /** Standard error is a terminal. */
  errorTerminal?: boolean;
  env?: Environment;
  stdin?: string | Buffer;
  cwd?: string;
  /** Takes what an interrupt of the process would call. */
  onInterrupt?: (listener: () => void) => () => void;
}

export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

/** Collects what is written to it. */
export function sink(isTTY = false): Writable & { text: () => string; isTTY: boolean } {
  let text = "";
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  // As standard output: what is piped into it does not end it.
  return Object.assign(stream, { text: () => text, isTTY, end: () => stream });
}

/** Runs a command line in this process, with no more of an environment than is given, in a home of its own. */
export async function svcctl(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const [stdout, stderr] = [sink(options.terminal), sink(options.errorTerminal)];
  const home = temporaryFolder();
  const stdin = options.stdin === undefined ? new PassThrough().end() : Readable.from([options.stdin]);
  const code = await runSvcctl(
    args,
    {
      stdin,
      stdout,
      stderr,
      cwd: options.cwd ?? home,
      ...(options.onInterrupt && { onInterrupt: options.onInterrupt }),
    },
    { HOME: home, ...options.env },
  );
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}
