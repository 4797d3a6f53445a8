/** Child processes of a benchmark, each on a core of its own where `taskset` is there. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { CONNECTED, type LoadJob, type LoadResult } from "./load.ts";

const SERVER_CORE = "0";
const CLIENT_CORE = "1";
/** Milliseconds between two looks at whether a program is ready. */
const LOOK_MS = 50;
const pinned = cpus().length > 1 && spawnSync("taskset", ["--version"]).status === 0;

/** True when server and client run on different cores. */
export const isPinned = pinned;

let everywhere = false;

/** Runs work whose processes may use all cores. */
export async function onAllCores<T>(work: () => Promise<T>): Promise<T> {
  everywhere = true;
  try {
    return await work();
  } finally {
    everywhere = false;
  }
}

function start(
  core: string,
  args: readonly string[],
  cwd = process.cwd(),
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  return startCommand(core, [process.execPath, "--disable-warning=ExperimentalWarning", ...args], cwd, env);
}

function startCommand(
  core: string,
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): ChildProcess {
  const [file, ...rest] = pinned && !everywhere ? ["taskset", "-c", core, ...command] : command;
  return spawn(file as string, rest, {
    stdio: ["ignore", "pipe", "inherit"],
    cwd,
    env: { ...process.env, ...env },
  });
}

function memory({ pid }: ChildProcess, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}

/** Milliseconds of processor time of all threads that still run. */
function threadTimes({ pid }: ChildProcess): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const times = tasks.map((task) =>
    Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]),
  );
  return times.reduce((sum, time) => sum + time, 0) / 1e6;
}

const TICKS_A_SECOND = 100;

function processorTime({ pid }: ChildProcess): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

/** A server that said it is ready. */
export interface StartedServer {
  /** Of the process. */
  readonly pid: number;
  /** The ready line. */
  readonly line: string;
  /** Milliseconds from start to ready. */
  readonly readyMs: number;
  /** Resident memory in MiB. */
  rss(): number;
  /** Highest resident memory so far in MiB. */
  peak(): number;
  /** Resident memory in MiB that is no file. */
  anonymous(): number;
  /** Seconds of processor time that it has used. */
  cpu(): number;
  /** Bytes that it has written so far, to sockets too. */
  written(): number;
  signal(signal: NodeJS.Signals): void;
  /** Milliseconds of the same, for short work: precise, without threads that have ended. */
  cpuMs(): number;
  stop(): Promise<void>;
}

/**
 * Starts a server, in a folder for what it writes, and waits for its line that begins with `ready`.
 * @param env variables beside those of this process
 */
export async function startServer(
  args: readonly string[],
  cwd?: string,
  env?: Readonly<Record<string, string>>,
): Promise<StartedServer> {
  const began = performance.now();
  return ready(start(SERVER_CORE, args, cwd, env), began);
}

/**
 * As {@link startServer}, for a program that is not JavaScript.
 * @param health a URL that answers 200 when it is ready, for one that says nothing
 */
export async function startBinary(
  path: string,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
  health?: string,
): Promise<StartedServer> {
  const began = performance.now();
  const child = startCommand(SERVER_CORE, [path, ...args], process.cwd(), env);
  if (health === undefined) return ready(child, began);
  while (!(await answers(health))) {
    if (child.exitCode !== null) throw new Error(`${path} ended with ${child.exitCode}`);
    await delay(LOOK_MS);
  }
  return started(child, "", began);
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function ready(child: ChildProcess, began: number): Promise<StartedServer> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const line = await new Promise<string>((resolve, reject) => {
    lines.on("line", (text) => {
      if (text.startsWith("ready")) resolve(text);
    });
    child.on("exit", (code, signal) => reject(new Error(`the server ended with ${code ?? signal}`)));
  });
  return started(child, line, began);
}

function started(child: ChildProcess, line: string, began: number): StartedServer {
  // One that ends later would only be seen by whoever calls it next: say so, and why.
  child.on("exit", (code, signal) => {
    console.error(`a server ended with ${code ?? signal}: ${child.spawnargs.join(" ")}`);
    process.exitCode = 1;
  });
  return {
    pid: child.pid as number,
    line,
    readyMs: performance.now() - began,
    rss: () => memory(child, "VmRSS"),
    peak: () => memory(child, "VmHWM"),
    anonymous: () => memory(child, "RssAnon"),
    cpu: () => processorTime(child),
    written: () => Number(/^wchar: (\d+)/m.exec(readFileSync(`/proc/${child.pid}/io`, "utf8"))?.[1]),
    signal: (signal) => child.kill(signal),
    cpuMs: () => threadTimes(child),
    stop: async () => {
      child.removeAllListeners("exit");
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/**
 * Runs one load to its end.
 * @param onConnected called when all connections of a load that connects first are open
 */
export async function runLoad(job: LoadJob, onConnected?: () => void): Promise<LoadResult> {
  const child = start(CLIENT_CORE, [new URL("./load.ts", import.meta.url).pathname, JSON.stringify(job)]);
  let text = "";
  child.stdout?.on("data", (chunk) => {
    text += chunk;
    if (!text.startsWith(`${CONNECTED}\n`)) return;
    text = text.slice(CONNECTED.length + 1);
    onConnected?.();
  });
  const [code] = (await once(child, "close")) as [number];
  if (code !== 0) throw new Error(`the load ended with ${code}`);
  return JSON.parse(text) as LoadResult;
}
