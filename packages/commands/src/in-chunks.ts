/** Lines of any number, to be written in few writes. */

/** Characters that are written together. */
const CHUNK = 64 * 1024;

/** Lines as texts of some size, each with whole lines. */
export async function* inChunks(lines: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let text = "";
  for await (const line of lines) {
    text += `${line}\n`;
    if (text.length < CHUNK) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}
