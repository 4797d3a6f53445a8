/** Shared by the commands of svcctl: output, style, global options, exit code. */

import { booleanText } from "@svc-authorizer/commands/boolean-switches.ts";
import type { Environment } from "@svc-authorizer/commands/environment.ts";
import { safeColored } from "@svc-authorizer/commands/safe-text.ts";
import type { StructuredFormat } from "./output/structured.ts";
import { COLORED, PLAIN, type Style } from "./style.ts";
import type { SvcctlEdge } from "./svcctl-edge.ts";
import { baseFor } from "./uri/base-uri.ts";

/** Options that every command takes, as they were given; absent where they were not. */
export interface GlobalOptions {
  readonly baseUri?: string;
  readonly config?: string;
  readonly logLevel?: string;
  readonly logFormat?: string;
  readonly logOutput?: readonly string[];
  /** False with `--no-color`, true with `--no-color=false`. */
  readonly color?: boolean;
  readonly verbose?: boolean;
  readonly output?: OutputFormat;
  /** Answer all confirmations with yes. */
  readonly yes?: boolean;
}

/** The output format of results: tables and text for people, or a format for programs. */
type OutputFormat = "table" | StructuredFormat;

/** Shared by all commands of one run. What depends on global options is known once an action runs. */
export class CommandContext {
  readonly edge: SvcctlEdge;
  readonly env: Environment;
  /** Of the package. */
  readonly version: string;
  #options: GlobalOptions = {};
  #terminal = false;
  /** Help, as the data server's own tool has it (spec/management-cli §1.5). */
  readonly codeWithoutCommand = 0;
  /** As the data server's own tool. */
  readonly ignoresFurtherArguments = true;
  #exitCode = 0;
  #advice: string | undefined;

  constructor(edge: SvcctlEdge, env: Environment, version: string) {
    this.edge = edge;
    this.env = env;
    this.version = version;
    this.useOptions({});
  }

  /** Takes the global options of the command that is about to run. */
  useOptions(options: GlobalOptions): void {
    this.#options = options;
    this.#terminal = isTerminalMode(this.edge, this.env, options);
  }

  get options(): GlobalOptions {
    return this.#options;
  }

  /** Terminal mode (spec/management-cli §1): tables with a grid, colours, paging hints. */
  get terminal(): boolean {
    return this.#terminal;
  }

  /** The format of `--output`. */
  get format(): OutputFormat {
    return this.#options.output ?? "table";
  }

  /** Colours, which are on in terminal mode only. */
  get style(): Style {
    return this.#terminal ? COLORED : PLAIN;
  }

  /** Colours of standard error: only if it is a terminal, or `SVCCTL_INTERACTIVE` says that everything is one. */
  get errorStyle(): Style {
    const forced = booleanText(this.env["SVCCTL_INTERACTIVE"]) === true;
    return forced || this.edge.stderr.isTTY === true ? this.style : PLAIN;
  }

  /** Writes to standard output, as is. */
  out(text: string): void {
    this.edge.stdout.write(text);
  }

  /** Writes lines to standard error. What of them came from a file or a server does not steer the terminal. */
  err(text: string): void {
    this.edge.stderr.write(safeColored(text));
  }

  /** Base of relative URIs: `--base-uri`, else `$SVCCTL_BASE_URI`. */
  get baseUri(): string | undefined {
    const { baseUri = this.env["SVCCTL_BASE_URI"] } = this.#options;
    return baseUri === "" ? undefined : baseUri;
  }

  /** The URI of the base for an argument that names one. */
  leftOut(argument: string): string | undefined {
    return this.baseUri === undefined ? undefined : baseFor(argument, this.baseUri);
  }

  /** Keeps what people may do, should the command fail. */
  advise(advice: string | undefined): void {
    this.#advice = advice;
  }

  /** That advice, where somebody is there to read it. */
  get advice(): string | undefined {
    return this.edge.stderr.isTTY === true ? this.#advice : undefined;
  }

  /** Keeps the exit code of the command that ran: 0 unless a command says otherwise. */
  finish(code: number): void {
    this.#exitCode = code;
  }

  get exitCode(): number {
    return this.#exitCode;
  }
}

function isTerminalMode(edge: SvcctlEdge, env: Environment, { color }: GlobalOptions): boolean {
  const noColor = env["NO_COLOR"] ?? "";
  if (!(color ?? (noColor === "" || noColor === "0"))) return false;
  return booleanText(env["SVCCTL_INTERACTIVE"]) ?? edge.stdout.isTTY === true;
}
