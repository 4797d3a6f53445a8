import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeJsonLine, renderFlatLine, renderTextLine } from "../../src/observe/log/text-line.ts";
import { sized } from "../proofs/size.ts";

const entry = (message: string, fields: object = {}): string =>
  JSON.stringify({ level: "info", time: "2026-11-21T10:00:00.000Z", ...fields, message });

/** Texts of everything that breaks lines, terminals and key=value readers. */
const hostileText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(
      fc.constantFrom(
        "\n",
        "\r",
        "\u2028",
        "\u2029",
        "\u0085",
        "\u007f",
        "\u009b31m",
        "\u001b[31m",
        "\v",
        "\f",
      ),
    )
    .map((parts) => parts.join("x")),
  fc
    .array(fc.constantFrom(" ", "=", '"', "\\", "\u202e", "\ufeff", "\ud800", "INFO", "a"), { maxLength: 8 })
    .map((parts) => parts.join("")),
);

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

/** Reads `key=value` pairs as an operator's script would; fails on anything that is not one. */
function readPairs(text: string): Map<string, string> {
  const pairs = new Map<string, string>();
  const pair = /((?:"(?:[^"\\]|\\.)*")|[^\s"=]+)=((?:"(?:[^"\\]|\\.)*")|[^\s"=]+)(?: |$)/uy;
  while (pair.lastIndex < text.length) {
    const at = pair.lastIndex;
    const match = pair.exec(text);
    if (match === null) throw new Error(`not a pair at ${at}: ${text}`);
    pairs.set(unquote(match[1] as string), unquote(match[2] as string));
  }
  return pairs;
}

function unquote(text: string): string {
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}

describe("text lines", () => {
  it("have time, level, message and key=value pairs", () => {
    expect(renderTextLine(entry("user created", { user: "alice", note: "two words", n: 3, ok: true }))).toBe(
      '2026-11-21T10:00:00.000Z INFO  user created user=alice note="two words" n=3 ok=true',
    );
  });

  it("name the members of objects by path", () => {
    expect(renderTextLine(entry("x", { error: { name: "Error", cause: { code: 1 } }, list: [1, "a"] }))).toBe(
      '2026-11-21T10:00:00.000Z INFO  x error.name=Error error.cause.code=1 list="[1,\\"a\\"]"',
    );
  });

  it("any message gives exactly one printable line", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(renderTextLine(entry(text))).not.toMatch(UNPRINTABLE);
      }),
      { numRuns: sized(200, 2_000) },
    );
  });

  it("any names and values give exactly one line, from which they are read back", () => {
    const name = hostileText.filter((text) => !["time", "level", "message", "__proto__", ""].includes(text));
    fc.assert(
      fc.property(fc.dictionary(name, hostileText, { maxKeys: 4 }), (fields) => {
        const line = renderTextLine(entry("m", fields));
        expect(line).not.toMatch(UNPRINTABLE);
        const head = "2026-11-21T10:00:00.000Z INFO  m ";
        expect(`${line} `.startsWith(head)).toBe(true);
        expect([...readPairs(line.slice(head.length))].sort()).toEqual(Object.entries(fields).sort());
      }),
      { numRuns: sized(200, 2_000) },
    );
  });

  it("are the same for entries without objects, past JSON", () => {
    const value = fc.oneof(hostileText, fc.double(), fc.boolean(), fc.constant(null), fc.constant(undefined));
    const name = hostileText.filter((text) => !["time", "level", "message", "__proto__"].includes(text));
    const head = { time: "2026-11-21T10:00:00.000Z", level: "info" };
    fc.assert(
      fc.property(hostileText, fc.dictionary(name, value, { maxKeys: 4 }), (message, fields) => {
        expect(renderFlatLine({ ...head, message }, fields)).toBe(renderTextLine(entry(message, fields)));
      }),
      { numRuns: sized(200, 2_000) },
    );
    expect(renderFlatLine({ ...head, message: "m" }, { list: [] })).toBeUndefined();
  });

  it("a message that looks like fields is quoted", () => {
    expect(renderTextLine(entry('done user="root"'))).toContain('INFO  "done user=\\"root\\""');
  });
});

describe("JSON lines", () => {
  it("escape what a terminal acts on and keep their meaning", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const json = escapeJsonLine(JSON.stringify({ text }));
        expect(json).not.toMatch(UNPRINTABLE);
        expect(JSON.parse(json)).toEqual({ text });
      }),
      { numRuns: sized(200, 2_000) },
    );
  });
});
