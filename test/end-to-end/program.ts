/** The program as a process of its own. */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** The entry of the service as its sources are. */
export const SOURCE_MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
/** The entry that tests start: the bundled service, where the run has built one. */
export const MAIN = process.env["SERVICE_MAIN"] ?? SOURCE_MAIN;

export interface RunningProgram {
  child: ChildProcess;
  /** URLs of the ready line. */
  service: string;
  user: string;
  metrics: string;
  /** URL of the listener for Envoy; undefined where it is not configured. */
  extAuthz: string | undefined;
  stdout(): string;
  stderr(): string;
  /** Sends a signal and waits for the end; resolves with the exit code or the signal that killed it. */
  end(signal?: NodeJS.Signals): Promise<number | string | null>;
}

interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

const folders: string[] = [];
const children: ChildProcess[] = [];

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "program-test-"));
  folders.push(folder);
  return folder;
}

export function cleanUp(): void {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  // What was killed may still write while its folder goes.
  const options = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 };
  for (const folder of folders.splice(0)) rmSync(folder, options);
}

export function writeConfig(folder: string, config: unknown, name = "config.yaml"): string {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(config, null, 2));
  return file;
}

/** Settings of the process. */
interface ProcessOptions {
  /** It takes messages. */
  readonly ipc?: boolean;
  /** Files that it may open, set by `prlimit`; absent: as this process. */
  readonly files?: number;
  /** Sees what it has printed each time that it prints, also before it is ready. */
  readonly onOutput?: (child: ChildProcessWithoutNullStreams, stdout: string) => void;
}

function launch(
  args: string[],
  cwd: string,
  env: Record<string, string>,
  main = MAIN,
  { ipc = false, files }: ProcessOptions = {},
) {
  const limited = files === undefined ? [] : ["prlimit", `--nofile=${files}:${files}`];
  const [command = "", ...rest] = [...limited, process.execPath, main, ...args];
  const child = spawn(command, rest, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe", ...(ipc ? (["ipc"] as const) : [])],
  }) as ChildProcessWithoutNullStreams;
  children.push(child);
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.stderr += chunk;
  });
  return { child, output };
}

/** Runs a command to its end. */
export function run(args: string[], cwd = newFolder(), env: Record<string, string> = {}): Promise<Finished> {
  const { child, output } = launch(args, cwd, env);
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, ...output })));
}

/** Starts the service, this one or that of another program, and waits for the ready line. */
export async function start(
  args: string[],
  cwd = newFolder(),
  env: Record<string, string> = {},
  main = MAIN,
  options: ProcessOptions = {},
): Promise<RunningProgram> {
  const { child, output } = launch(["run", ...args], cwd, env, main, options);
  child.stdout.on("data", () => options.onOutput?.(child, output.stdout));
  const ended = new Promise<number | string | null>((resolve) =>
    child.on("close", (code, signal) => resolve(code ?? signal)),
  );
  const line = await new Promise<string>((resolve, reject) => {
    const look = (): void => {
      const found = /^ready .*$/m.exec(output.stdout);
      if (found !== null) resolve(found[0]);
    };
    child.stdout.on("data", look);
    void ended.then((code) => reject(new Error(`ended with ${code}: ${output.stderr}`)));
  });
  const url = (name: string): string => new RegExp(`${name}=(\\S+)`).exec(line)?.[1] as string;
  return {
    child,
    service: url("service"),
    user: url("user"),
    metrics: url("metrics"),
    extAuthz: line.includes(" ext_authz=") ? `http://${url("ext_authz")}` : undefined,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    end: (signal = "SIGTERM") => {
      child.kill(signal);
      return ended;
    },
  };
}

/** Does something again and again until a promise ends; returns what that promise gives. */
export async function whileRepeated<T>(ending: Promise<T>, act: () => Promise<unknown>): Promise<T> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  ending.then(over, over);
  while (!isOver) {
    await act();
    await setTimeout(100);
  }
  return ending;
}
