/** Trees drawn with lines. */

/** A node with what is below it. */
export interface TextTree {
  readonly text: string;
  readonly children: readonly TextTree[];
}

/** One line for each node, the branches of a level one below the other. */
export function branchLines(nodes: readonly TextTree[]): readonly string[] {
  return nodes.flatMap(({ text, children }, index) => {
    const last = index === nodes.length - 1;
    const below = branchLines(children).map((line) => `${last ? "   " : "│  "}${line}`);
    return [`${last ? "└─ " : "├─ "}${text}`, ...below];
  });
}
