/** An export as one text. */

import { exportDataset } from "../../src/datasets/export-dataset.ts";
import type { Directory } from "../../src/directory/directory.ts";

/** Exports a directory; returns the text and what was left out. */
export async function exportedText(directory: Directory, options: Parameters<typeof exportDataset>[1]) {
  let text = "";
  const omitted = await exportDataset(directory, options, (piece) => {
    text += piece;
    return undefined;
  });
  return { text, ...omitted };
}
