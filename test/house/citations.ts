/** Reads citations of the specification, `spec/name §N.M`, and the sections of its pages. */

/** A section of a page of `docs/spec/` that a text names; `page` is the page's name without `.md`. */
interface Citation {
  readonly page: string;
  readonly section: string;
}

/** The citations of a text, and the surroundings of each `§` that names no page. */
export function citationsIn(text: string): { named: readonly Citation[]; nameless: readonly string[] } {
  const named: Citation[] = [];
  const nameless: string[] = [];
  // `§N` stands for any number where the form of a citation is explained.
  for (const { index } of text.matchAll(/§(?!N)/g)) {
    const before = /\bspec\/([a-z][a-z-]*)(?: |\s*\n\s*(?:\*|\/\/|#|>)? ?)$/.exec(
      text.slice(Math.max(0, index - 80), index),
    );
    const number = /^§(\d+(?:\.\d+)*)/.exec(text.slice(index, index + 12));
    if (before?.[1] !== undefined && number?.[1] !== undefined) {
      named.push({ page: before[1], section: number[1] });
    } else {
      const line = text.slice(text.lastIndexOf("\n", index) + 1);
      nameless.push(line.slice(0, Math.max(line.indexOf("\n"), 0) || line.length).trim());
    }
  }
  return { named, nameless };
}

/** Numbers of the sections of a page: its headings (`## 4. Names`, `### 4.4 Log-in`) and rules that begin in bold (`**4.4**`). */
export function sectionsOf(page: string): ReadonlySet<string> {
  const text = page.replaceAll(/^```[\s\S]*?^```/gm, "");
  return new Set(
    [...text.matchAll(/^(?:#{2,4} |\*\*)(\d+(?:\.\d+)*)(?=[.\s*])/gm)].map(([, number = ""]) => number),
  );
}
