/** One instruction of a Dockerfile, continuation lines joined. */
interface Instruction {
  /** Upper case: "COPY". */
  readonly name: string;
  /** `--from=build` and the like, without the dashes. */
  readonly flags: Readonly<Record<string, string>>;
  /** The words of a shell form, or the elements of an exec form. */
  readonly words: readonly string[];
  /** All that follows the name, as written. */
  readonly text: string;
}

/** The lines between two `FROM`s. */
export interface Stage {
  readonly image: string;
  /** The name after `AS`, "" without one. */
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

/** The stages of a Dockerfile. Throws on a line that is no instruction or comes before the first `FROM`. */
export function parseDockerfile(text: string): Stage[] {
  const stages: { image: string; name: string; instructions: Instruction[] }[] = [];
  for (const line of logicalLines(text)) {
    const instruction = parseInstruction(line);
    const [image = "", as, name = ""] = instruction.words;
    if (instruction.name === "FROM") {
      if (as !== undefined && as.toUpperCase() !== "AS") throw new Error(`not understood: ${line}`);
      stages.push({ image, name, instructions: [] });
    } else {
      const stage = stages.at(-1);
      if (stage === undefined) throw new Error(`before the first FROM: ${line}`);
      stage.instructions.push(instruction);
    }
  }
  return stages;
}

function logicalLines(text: string): string[] {
  return text
    .split("\n")
    .filter((line) => !line.trimStart().startsWith("#"))
    .join("\n")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "");
}

function parseInstruction(line: string): Instruction {
  const match = /^([A-Z]+)\s+((?:--[a-z-]+=\S+\s+)*)(.+)$/.exec(line);
  if (match === null) throw new Error(`no instruction: ${line}`);
  const [, name = "", flags = "", text = ""] = match;
  const pairs = flags
    .split(/\s+/)
    .filter(Boolean)
    .map((flag) => flag.slice(2).split("=", 2));
  const exec = text.replace(/^CMD\s+/, "");
  const words = exec.startsWith("[") ? (JSON.parse(exec) as string[]) : text.split(/\s+/);
  return { name, flags: Object.fromEntries(pairs), words, text };
}
