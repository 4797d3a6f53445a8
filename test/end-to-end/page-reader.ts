/** Somebody who follows a page of the documentation on a new machine: types each command, compares each output. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { greetingBlock, readyLines, type StartedService } from "../../src/cli/run/start-greeting.ts";
import { NewMachine } from "./new-machine.ts";
import type { ShownCommand } from "./page-steps.ts";

/** The output that a page shows for a command, and the real one; equal if the page is right. */
interface Compared {
  readonly shown: { readonly output: string; readonly code: number };
  readonly happened: { readonly output: string; readonly code: number };
}

/** Follows pages on one machine: a shell that keeps its state, and a service in another terminal. */
export class PageReader {
  readonly machine = new NewMachine();
  /** Addresses of the page, and what they are here. */
  readonly #addresses = new Map<string, string>();
  /** The access key that was shown last. */
  readonly key = { id: "", secret: "" };

  /**
   * Starts the service with a command of a page.
   * @returns what the page shows, and what the service prints at a terminal; here it prints the same facts into a pipe
   */
  async start({ command, output }: ShownCommand): Promise<Compared> {
    const said = await this.machine.start(command);
    const [, service = "", user = "", metrics = ""] =
      /^ready service=(\S+) user=(\S+) metrics=(\S+)$/m.exec(said) ?? [];
    const folder = join(this.machine.clone, ".svc-authorizer");
    const token = readFileSync(join(folder, "svc-authorizer-setup-token"), "utf8").trim();
    const started: StartedService = {
      version: "0.0.0",
      addresses: { service, user, metrics },
      setup: { token, file: join(folder, "svc-authorizer-setup-token") },
      quickstart: { tokenFile: join(folder, "token"), data: undefined, hasOwnDatasets: false },
      env: { npm_lifecycle_event: "start" },
      cwd: this.machine.clone,
    };
    if (said !== readyLines(started)) throw new Error(`the service says something else in a pipe: ${said}`);
    const pages = [...output.matchAll(/^ {2}\w+ +(http:\S+)/gm)].map(([, url = ""]) => url);
    for (const [index, here] of [service, user, metrics].entries())
      this.#addresses.set(pages[index] ?? "", here);
    return {
      shown: { output: this.#steady(output), code: 0 },
      happened: { output: this.#steady(greetingBlock(started)), code: 0 },
    };
  }

  /** Runs a command of a page and answers its questions. */
  async run({ command, output, code, questions }: ShownCommand): Promise<Compared> {
    const input = questions.map((question) => `${this.#answer(question)}\n`).join("");
    const ran = await this.machine.run(this.#here(command), input);
    const [, id, secret] = /Access Key ID: +(\S+)\nSecret Access Key: (\S+)/.exec(ran.output) ?? [];
    if (id !== undefined && secret !== undefined) Object.assign(this.key, { id, secret });
    return {
      shown: { output: this.#steady(output), code },
      happened: { output: this.#steady(ran.output), code: ran.code },
    };
  }

  /** Pastes a text of a page into the shell. */
  paste(text: string): Promise<{ code: number; output: string }> {
    return this.machine.run(this.#here(text));
  }

  #here(text: string): string {
    return [...this.#addresses].reduce((now, [page, actual]) => now.replaceAll(page, actual), text);
  }

  /** Returns the text that a reader types or pastes at a question of the page. */
  #answer(question: string): string {
    if (question.includes("Access key ID")) return this.key.id;
    if (question.includes("Secret access key")) return this.key.secret;
    return this.#here(question.split(" ").at(-1) ?? "");
  }

  /** The text without what is different in each run. */
  #steady(text: string): string {
    return (
      [...this.#addresses]
        .reduce((now, [page, actual]) => now.replaceAll(actual, page), text.replaceAll(this.machine.root, ""))
        .replace(/AKIAJ[A-Z0-9]{14}Q/g, "KEY")
        .replace(/(Secret Access Key: )\S{40}/g, "$1SECRET")
        .replace(/(setup token )[\w-]{43}/g, "$1TOKEN")
        .replace(/^(svc-authorizer )\d+\.\d+\.\S+/gm, "$1VERSION")
        .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC/g, "DATE")
        .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "DATE")
        .replace(/("(?:creation_date|token_expiration)":)\d+/g, "$1DATE")
        // Progress, where a busy machine takes long.
        .replace(/^\d+ secrets encrypted\n/gm, "")
        .replace(/\bd-[0-9a-f]{12}-[0-9a-z]+/g, "DECISION")
        .trimEnd()
    );
  }
}
