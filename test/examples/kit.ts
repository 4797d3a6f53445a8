/** Programs of examples: copies of their folders, started as their READMEs start them, and ended with the test. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packed } from "../packages/installed.ts";

/** The clone. */
export const ROOT = join(import.meta.dirname, "..", "..");
/** The folder of the examples. */
export const EXAMPLES = join(ROOT, "examples");

/** The folder of one test file, with the client as it is published, and its processes. */
export class Scratch {
  readonly folder = mkdtempSync(join(tmpdir(), "examples-"));
  readonly #programs: ChildProcess[] = [];

  /** The packed client. */
  client(): string {
    return join(packed("client"), "client.tgz");
  }

  /** A copy of an example with what its package.json names: the packed client, others as the clone has them. */
  installed(name: string): string {
    const copy = this.copied(name);
    if (!existsSync(join(copy, "package.json"))) return copy;
    this.#addClient(copy);
    mkdirSync(join(copy, "node_modules", "@hono"));
    for (const one of ["express", "fastify", "hono", "@hono/node-server"]) {
      symlinkSync(join(ROOT, "node_modules", one), join(copy, "node_modules", one));
    }
    return copy;
  }

  /**
   * A copy of an example with the packed client, and the packages of a folder. Their files are links, since builders of
   * pages follow no folder that is one.
   */
  withPackages(name: string, packages: string): string {
    const copy = this.copied(name);
    const place = join(copy, "node_modules");
    try {
      execFileSync("cp", ["-al", packages, place], { stdio: "ignore" });
    } catch {
      // On another disk.
      cpSync(packages, place, { recursive: true, verbatimSymlinks: true });
    }
    this.#addClient(copy);
    return copy;
  }

  #addClient(copy: string): void {
    const client = join(copy, "node_modules", "@svc-authorizer", "client");
    mkdirSync(client, { recursive: true });
    execFileSync("tar", ["xzf", this.client(), "--strip-components=1", "-C", client]);
  }

  /** A copy of an example. */
  copied(name: string): string {
    const copy = join(this.folder, name);
    cpSync(join(EXAMPLES, name), copy, { recursive: true });
    return copy;
  }

  /** Starts a program in a group of its own, since some start others. */
  start(
    command: readonly string[],
    cwd: string,
    env: Readonly<Record<string, string | undefined>> = {},
  ): ChildProcess {
    const [program, ...args] = command as [string, ...string[]];
    const child = spawn(program, args, {
      cwd,
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ...env },
    });
    // A program that does not exist is seen by what it does not do.
    child.on("error", () => undefined);
    child.stdout?.resume();
    this.#programs.push(child);
    return child;
  }

  /** Ends everything. */
  close(): void {
    for (const child of this.#programs) kill(child);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Ends a program and those that it started. */
export function kill({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It ended meanwhile.
  }
}

/** The status of a request; 0 where nobody answers. */
export async function statusOf(url: string, init: RequestInit = {}): Promise<number> {
  try {
    const response = await fetch(url, init);
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}
