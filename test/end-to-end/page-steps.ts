/** A page of commands as steps: what a reader does, in order, and what the page says happens. */

export type Step = PastedText | ShownCommand | Interrupt;

/** A `sh` block, pasted as a whole. */
interface PastedText {
  kind: "paste";
  text: string;
}

/** A command of a `console` block, with what follows it up to the next one. */
export interface ShownCommand {
  kind: "command";
  command: string;
  /** Lines as shown, without prompts and exit code. */
  output: string;
  /** The lines `? Question answer`: questions and the answers typed at them. */
  questions: string[];
  code: number;
}

/** Control-C in the terminal of the service. */
interface Interrupt {
  kind: "interrupt";
}

/** The steps of a page, in its order. */
export function stepsOf(page: string): Step[] {
  const parts = page.split(/^```(\w*)\n([\s\S]*?)^```$/gm);
  const steps: Step[] = [];
  for (let index = 0; index < parts.length; index += 3) {
    const [prose = "", language, block = ""] = parts.slice(index, index + 3);
    if (prose.includes("Control-C in the first terminal")) steps.push({ kind: "interrupt" });
    if (language === "sh") steps.push({ kind: "paste", text: block });
    if (language === "console") steps.push(...commandsOf(block));
  }
  return steps;
}

function commandsOf(block: string): ShownCommand[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      // A command may go on in the next line.
      const text = part.replace(/\\\n\s*/g, "");
      const [command = "", ...lines] = text.split("\n");
      const [, code = "0"] = /^\[exit code (\d+)\]$/m.exec(text) ?? [];
      const isOutput = (line: string): boolean => !/^(\? |\[exit code \d+\]$)/.test(line);
      return {
        kind: "command",
        command,
        output: lines.filter(isOutput).join("\n").trimEnd(),
        questions: lines.filter((line) => line.startsWith("? ")),
        code: Number(code),
      };
    });
}
