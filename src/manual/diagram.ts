/** Diagrams of the manual: a text in the file of the page, and a picture of it that is drawn beforehand. */

import { createHash } from "node:crypto";
import { escapeHtml } from "@svc-authorizer/policy/html.ts";

const DIGITS = 16;

/** The path of the picture of a diagram below the manual. It is named by the digest of the text. */
export function diagramPicture(text: string): string {
  const digest = createHash("sha256").update(text).digest("hex").slice(0, DIGITS);
  return `pictures/diagrams/${digest}.svg`;
}

/**
 * Shows a diagram: its picture with the text behind a fold, or the text alone where there is no picture.
 * @param address of the picture
 */
export function diagramHtml(text: string, address: string | undefined): string {
  const pre = `<pre tabindex="0"><code>${escapeHtml(plainText(text))}</code></pre>`;
  const shown =
    address === undefined
      ? `<figcaption>Diagram, as text</figcaption>${pre}`
      : `<div class="drawn" tabindex="0"><img src="${escapeHtml(address)}" alt="Diagram; it follows as text"></div><details><summary>Diagram, as text</summary>${pre}</details>`;
  return `<figure class="diagram">${shown}</figure>\n`;
}

/** The text of a diagram without the markup in its labels. */
function plainText(text: string): string {
  return text.replaceAll(/<br\s*\/?>/g, " · ").replaceAll(/<\/?\w+>/g, "");
}
