/** A program as a process whose time, CPU time and memory are measured. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import type { Readable } from "node:stream";

/** The tool that measures; the tests that need it are skipped where it lacks. */
export const HAS_TIME = existsSync("/usr/bin/time");

interface Measured {
  code: number | null;
  output: string;
  seconds: number;
  /** User and system. */
  cpuSeconds: number;
  /** Most memory that was resident, in MB: with the pages of the program's files. */
  megabytes: number;
  /** Most anonymous memory that was seen, in MB: without them. */
  anonymous: number;
}

/**
 * Runs a program to its end.
 * @param most characters of its output that are kept, the last ones; default: all
 */
export async function measured(
  command: readonly string[],
  env: Record<string, string | undefined>,
  cwd: string,
  most = Number.POSITIVE_INFINITY,
): Promise<Measured> {
  const child = spawn("/usr/bin/time", ["-f", "\n%e %U %S %M", ...command], { cwd, env });
  let anonymous = 0;
  const timer = setInterval(() => {
    anonymous = Math.max(anonymous, anonymousOfChild(child.pid));
  }, 20);
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
  const [stdout, stderr, code] = await Promise.all([
    lastOf(child.stdout, most),
    lastOf(child.stderr, most),
    ended,
  ]);
  clearInterval(timer);
  const lines = stderr.trimEnd().split("\n");
  const [seconds = 0, user = 0, system = 0, kilobytes = 0] = (lines.pop() ?? "").split(" ").map(Number);
  const megabytes = Math.ceil(kilobytes / 1024);
  return {
    code,
    output: stdout + lines.join("\n"),
    seconds,
    cpuSeconds: user + system,
    megabytes,
    anonymous,
  };
}

/** The last characters of a text: that of a long run may be longer than a string can be. */
async function lastOf(stream: Readable, most: number): Promise<string> {
  let text = "";
  for await (const part of stream.setEncoding("utf8")) {
    text += part;
    if (text.length > most) text = text.slice(-most);
  }
  return text;
}

/** Anonymous memory of the only child of a process in MB; 0 once it has ended. */
function anonymousOfChild(pid: number | undefined): number {
  try {
    const child = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    const status = readFileSync(`/proc/${child}/status`, "utf8");
    return Math.ceil(Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  } catch {
    return 0;
  }
}
