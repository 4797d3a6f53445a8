/** YAML that readers of YAML 1.1, which are many, read as those of 1.2 do. */

/** Signs that end a line or are not allowed in YAML 1.1, unless they are escaped. */
const ESCAPED = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Texts that have to stand in double quotes: with such signs, with a tab, and `=`, which is a value of its own. */
const QUOTED = /[\t\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|^=$/;

/** Returns a value as YAML. */
export async function yamlText(value: unknown): Promise<string> {
  const { Document, visit } = await import("yaml");
  // Such texts as `no` and `1:30` are quoted.
  const document = new Document(value, { compat: "yaml-1.1" });
  visit(document, {
    Scalar(_key, scalar) {
      if (typeof scalar.value === "string" && QUOTED.test(scalar.value)) scalar.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString().replace(ESCAPED, escaped);
}

function escaped(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
