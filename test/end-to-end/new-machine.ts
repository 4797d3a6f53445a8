/** The machine of somebody new: a home with nothing in it but a clone, a shell, and the service in another terminal. */
import { type ChildProcess, spawn } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, relative, sep } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");
const LEFT_OUT = new Set([".git", "node_modules", "dist", "coverage", ".svc-authorizer"]);

interface Ran {
  code: number;
  /** Standard output and standard error, as they came. */
  output: string;
}

export class NewMachine {
  /** Paths on the machine as its owner sees them begin here. */
  readonly root = mkdtempSync(join(realpathSync(tmpdir()), "new-machine-"));
  readonly home = join(this.root, "home", "you");
  readonly clone = join(this.home, "svc-authorizer");
  readonly #shell: ChildProcess;
  #service: ChildProcess | undefined;
  #serviceOutput = "";

  constructor() {
    mkdirSync(this.home, { recursive: true });
    cpSync(ROOT, this.clone, {
      recursive: true,
      filter: (path) => !LEFT_OUT.has(relative(ROOT, path).split(sep)[0] ?? ""),
    });
    // What `npm ci` does, without the network.
    symlinkSync(join(ROOT, "node_modules"), join(this.clone, "node_modules"));
    this.#shell = spawn("bash", ["--noprofile", "--norc"], {
      cwd: this.clone,
      env: this.#env,
      stdio: ["pipe", "pipe", "inherit"],
    });
  }

  /** Nothing of ours: not the PATH that `npm test` made, which would bring a Node that a new user has not. */
  get #env(): Record<string, string> {
    const path = (process.env["PATH"] ?? "")
      .split(delimiter)
      .filter((entry) => !entry.includes("node_modules"));
    return {
      HOME: this.home,
      PATH: path.join(delimiter),
      LANG: "C.UTF-8",
      TZ: "UTC",
      // Tables as on a terminal, and npm does not look for a newer npm.
      SVCCTL_INTERACTIVE: "true",
      npm_config_update_notifier: "false",
      // Other tests have ports too.
      SVC_LISTEN_ADDRESS: "127.0.0.1:0",
      SVC_AUTHORIZER_LISTEN_ADDRESS: "127.0.0.1:0",
      SVC_AUTHORIZER_METRICS_ADDRESS: "127.0.0.1:0",
    };
  }

  /** Runs a text in the shell, which keeps functions and folder for the next one. */
  async run(text: string, input = ""): Promise<Ran> {
    const [stdin, stdout] = [join(this.root, "input"), join(this.root, "output")];
    writeFileSync(stdin, input);
    const ended = this.#endOfCommand();
    this.#shell.stdin?.write(`{\n${text}\n} <'${stdin}' >'${stdout}' 2>&1; echo "ended $?"\n`);
    return { code: await ended, output: withoutColours(readFileSync(stdout, "utf8")) };
  }

  #endOfCommand(): Promise<number> {
    return new Promise((resolve, reject) => {
      let seen = "";
      const settle = (): void => {
        this.#shell.stdout?.off("data", look);
        this.#shell.off("exit", fail);
      };
      const look = (chunk: Buffer): void => {
        seen += chunk;
        const found = /^ended (\d+)$/m.exec(seen);
        if (found === null) return;
        settle();
        resolve(Number(found[1]));
      };
      const fail = (): void => {
        settle();
        reject(new Error("the shell ended"));
      };
      this.#shell.stdout?.on("data", look);
      this.#shell.on("exit", fail);
    });
  }

  /** Starts the service in a terminal of its own; resolves with what it says from the ready line on. */
  start(command: string): Promise<string> {
    // A process group of its own, as in a terminal: Control-C reaches npm and the service.
    const child = spawn("bash", ["-c", command], { cwd: this.clone, env: this.#env, detached: true });
    this.#service = child;
    return new Promise((resolve, reject) => {
      const look = (chunk: Buffer): void => {
        this.#serviceOutput += chunk;
        const ready = this.#serviceOutput.search(/^ready /m);
        // The greeting is written in one piece with the ready line, and ends with a command.
        if (ready >= 0 && /--write-config\n/.test(this.#serviceOutput))
          resolve(this.#serviceOutput.slice(ready));
      };
      child.stdout.on("data", look);
      child.stderr.on("data", look);
      child.on("exit", (code) => reject(new Error(`ended with ${code}: ${this.#serviceOutput}`)));
    });
  }

  /** Control-C in the terminal of the service; resolves when everything in it has ended. */
  async interrupt(): Promise<void> {
    const child = this.#service;
    if (child?.pid === undefined) throw new Error("nothing was started");
    const ended = new Promise((resolve) => child.on("close", resolve));
    process.kill(-child.pid, "SIGINT");
    await ended;
  }

  destroy(): void {
    this.#shell.kill("SIGKILL");
    const { pid, exitCode, signalCode } = this.#service ?? {};
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, "SIGKILL");
    rmSync(this.root, { recursive: true, force: true });
  }
}

function withoutColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of
  return text.replace(/\u001b\[\d+m/g, "");
}
