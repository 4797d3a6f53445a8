/** A text that is looked for in other texts, in letters of any case. */

/** A Greek sigma has two small letters, of which toLowerCase takes one at the end of a word: a part of it ends elsewhere. */
function folded(text: string): string {
  return text.toLowerCase().replaceAll("ς", "σ");
}

/** Looks for one text. */
export class TextSearch {
  readonly #wanted: string;
  /** As it is written inside a JSON text. */
  readonly #written: string;

  constructor(wanted: string) {
    this.#wanted = folded(wanted);
    this.#written = folded(JSON.stringify(wanted).slice(1, -1));
  }

  /** True if the text has the wanted one in it. */
  isIn(text: string): boolean {
    return folded(text).includes(this.#wanted);
  }

  /** False only if no value in the JSON text has the wanted text in it. */
  mayBeIn(json: string): boolean {
    return folded(json).includes(this.#written);
  }
}
