/** Pages of the manual, from Markdown to HTML: links between pages, anchors, and nothing that a content policy forbids. */

import { posix } from "node:path";
import { escapeHtml } from "@svc-authorizer/policy/html.ts";
import MarkdownIt from "markdown-it";
import { diagramHtml, diagramPicture } from "./diagram.ts";
import type { Heading, Section } from "./rendered.ts";

/** A rendered page. */
export interface RenderedPage {
  readonly title: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
}

/** Addresses of the things that a page links to. */
interface LinkTargets {
  /** Address of a file or folder of the manual by its path; undefined for one that is none of the manual. */
  readonly inManual: (path: string) => string | undefined;
  /** Title of a page of the manual by its path: links that name the file show it instead. */
  readonly titleOf: (path: string) => string | undefined;
  /** Address of any other file of the repository. */
  readonly inRepository: (path: string) => string;
}

type Tokens = ReturnType<InstanceType<typeof MarkdownIt>["parse"]>;

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** Returns the anchor of a heading, as repositories on the web make it. */
function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");
}

/** Renders pages. */
export class Markdown {
  readonly #markdown = new MarkdownIt({ html: false, linkify: false });
  readonly #targets: LinkTargets;

  constructor(targets: LinkTargets) {
    this.#targets = targets;
    const { rules } = this.#markdown.renderer;
    rules["fence"] = (tokens, index) => {
      const { info = "", content = "" } = tokens[index] ?? {};
      if (languageOf(info) !== "mermaid") return fence(info, content);
      return diagramHtml(content, targets.inManual(diagramPicture(content)));
    };
    rules["code_block"] = (tokens, index) => fence("", tokens[index]?.content ?? "");
    rules["table_open"] = () => '<div class="table"><table>\n';
    rules["table_close"] = () => "</table></div>\n";
  }

  /** Renders a text without paragraphs. */
  inline(text: string): string {
    return this.#markdown.renderInline(text);
  }

  /**
   * Renders a page.
   * @param path of its file below the manual
   */
  page(path: string, text: string): RenderedPage {
    const tokens = this.#markdown.parse(text, {});
    const headings: Heading[] = [];
    const sections: { heading: Heading; texts: string[] }[] = [];
    for (const [index, token] of tokens.entries()) {
      // Alignment comes as a style, which the content policy of these pages forbids.
      const style = token.attrGet("style");
      if (typeof style === "string") token.attrs = [["class", style.replace("text-align:", "align-")]];
      if (token.type === "heading_open") {
        const heading = this.#heading(tokens, index, token);
        headings.push(heading);
        sections.push({ heading, texts: [] });
      } else if (token.type === "inline" && tokens[index - 1]?.type !== "heading_open") {
        sections.at(-1)?.texts.push(plainText(token.children ?? []));
      } else if (token.type === "fence") sections.at(-1)?.texts.push(token.content);
      for (const [place, child] of (token.children ?? []).entries()) {
        this.#relink(path, child, token.children?.[place + 1]);
      }
    }
    return {
      title: headings[0]?.text ?? path,
      html: this.#markdown.renderer.render(tokens, this.#markdown.options, {}),
      headings,
      sections: sections.map(({ heading, texts }) => ({ ...heading, body: texts.join(" ") })),
    };
  }

  #heading(tokens: Tokens, index: number, token: Tokens[number]): Heading {
    const text = plainText(tokens[index + 1]?.children ?? []);
    const anchor = anchorOf(text);
    token.attrSet("id", anchor);
    return { level: Number(token.tag.slice(1)), text, anchor };
  }

  /** @param text what follows: the text of a link */
  #relink(page: string, token: Tokens[number], text: Tokens[number] | undefined): void {
    const attribute = token.type === "link_open" ? "href" : token.type === "image" ? "src" : undefined;
    const target = attribute && token.attrGet(attribute);
    if (attribute === undefined || typeof target !== "string") return;
    if (SCHEME.test(target)) {
      token.attrSet("rel", "external noreferrer");
      return;
    }
    const [file = "", anchor] = target.split("#");
    if (file === "") return;
    const path = posix.normalize(posix.join(posix.dirname(page), file)).replace(/\/$/, "");
    const inManual = this.#targets.inManual(path);
    if (inManual === undefined) token.attrSet("rel", "external noreferrer");
    const title = this.#targets.titleOf(path);
    if (title !== undefined && text?.content === posix.basename(file)) text.content = title;
    const address = inManual ?? this.#targets.inRepository(posix.join("docs", path));
    token.attrSet(attribute, anchor === undefined ? address : `${address}#${anchor}`);
  }
}

function plainText(tokens: Tokens): string {
  return tokens
    .map(({ type, content, children }) => {
      if (children !== null && children.length > 0) return plainText(children);
      if (type === "softbreak" || type === "hardbreak") return " ";
      return type === "text" || type === "code_inline" ? content : "";
    })
    .join("");
}

/** A block of code; the commands of a terminal stand out from what they print. */
function fence(info: string, content: string): string {
  const language = languageOf(info);
  const isTerminal = language === "console";
  const code = isTerminal ? content.split("\n").map(terminalLine).join("\n") : escapeHtml(content);
  const name = language === "" ? "" : ` data-language="${escapeHtml(language)}"`;
  return `<pre tabindex="0"${name}><code>${code}</code></pre>\n`;
}

function languageOf(info: string): string {
  return info.trim().split(/\s/)[0] ?? "";
}

function terminalLine(line: string): string {
  return line.startsWith("$ ")
    ? `<span class="prompt">$ </span><b>${escapeHtml(line.slice(2))}</b>`
    : escapeHtml(line);
}
