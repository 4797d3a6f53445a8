/** Binary values of conditions. Apart from the others, because browsers have no `Buffer` and translate plans, too. */

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The bytes of a base64 text, as the one text that stands for them; undefined for another text. */
export function parseBinary(text: string): string | undefined {
  return BASE64.test(text) ? Buffer.from(text, "base64").toString("base64") : undefined;
}
