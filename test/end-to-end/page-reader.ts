/** Somebody who follows a page of the documentation on a new machine: types each command, compares each output. */
import { NewMachine } from "./new-machine.ts";
import type { ShownCommand } from "./page-steps.ts";

/** What a page shows for a command, and what happened; equal where the page is right. */
export interface Compared {
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
   * @returns what the page and the service print from the ready line on
   */
  async start({ command, output }: ShownCommand): Promise<Compared> {
    const said = await this.machine.start(command);
    const urls = (text: string): string[] => (/^ready .*$/m.exec(text)?.[0] ?? "").match(/http:[^ ]+/g) ?? [];
    const [pages, here] = [urls(output), urls(said)];
    if (pages.length !== 3) throw new Error("the ready line of the page has three addresses");
    for (const [index, page] of pages.entries()) this.#addresses.set(page, here[index] ?? "");
    return {
      shown: { output: this.#steady(output), code: 0 },
      happened: { output: this.#steady(said), code: 0 },
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

  /** What somebody types or pastes at a question of the page. */
  #answer(question: string): string {
    if (question.includes("Access key ID")) return this.key.id;
    if (question.includes("Secret access key")) return this.key.secret;
    return this.#here(question.split(" ").at(-1) ?? "");
  }

  /** The text without what is different in each run. */
  #steady(text: string): string {
    return [...this.#addresses]
      .reduce((now, [page, actual]) => now.replaceAll(actual, page), text.replaceAll(this.machine.root, ""))
      .replace(/AKIAJ[A-Z0-9]{14}Q/g, "KEY")
      .replace(/(Secret Access Key: )\S{40}/g, "$1SECRET")
      .replace(/(setup token )[\w-]{43}/g, "$1TOKEN")
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC/g, "DATE")
      .replace(/("(?:creation_date|token_expiration)":)\d+/g, "$1DATE")
      .replace(/\bd-[0-9a-f]{12}-\d+/g, "DECISION")
      .trimEnd();
  }
}
