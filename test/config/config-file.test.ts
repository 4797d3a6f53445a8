import { mkdirSync, symlinkSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { searchPaths } from "../../src/config/config-file.ts";
import { COMPLETE, ConfigFolder, errorOf, loadText, problemsOf, problemsOfText } from "./config-folder.ts";

describe("the search for a file", () => {
  it("takes the first that exists, in the order of the reference", () => {
    const places = ["cwd/config.yaml", "home/svc/config.yaml", "etc/svc/config.yaml", "home/.svc.yaml"];
    const folder = new ConfigFolder();
    for (const place of places.toReversed()) {
      folder.write(place, `authorizer.partition: ${place.replaceAll(/\W/g, "-")}`);
      const { file, values } = folder.load({ env: COMPLETE });
      expect(file).toBe(folder.at(place));
      expect(values["authorizer.partition"]).toBe(place.replaceAll(/\W/g, "-"));
    }
    expect(searchPaths({ cwd: "/w", home: "/h", etc: "/etc" })).toEqual([
      "/w/config.yaml",
      "/h/svc/config.yaml",
      "/etc/svc/config.yaml",
      "/h/.svc.yaml",
    ]);
  });

  it("goes without a file when there is none, or when none is wanted", () => {
    expect(new ConfigFolder().load({ env: COMPLETE }).file).toBeUndefined();
    const folder = new ConfigFolder({ "cwd/config.yaml": "auth.cache.ttl: wrong" });
    expect(folder.load({ env: COMPLETE, configFile: false }).file).toBeUndefined();
  });

  it("takes the file of the flag alone, relative to the working folder", () => {
    const folder = new ConfigFolder({
      "cwd/config.yaml": "auth.cache.size: 1",
      "cwd/x/other.yaml": "auth.cache.size: 2",
    });
    expect(folder.load({ env: COMPLETE, configFile: "x/other.yaml" }).values["auth.cache.size"]).toBe(2);
    expect(problemsOf(() => folder.load({ env: COMPLETE, configFile: "absent.yaml" }))).toEqual([
      `${folder.at("cwd/absent.yaml")}: there is no such file`,
    ]);
  });

  it("does not pass over a file that it cannot read", () => {
    const folder = new ConfigFolder({ "home/.svc.yaml": "" });
    mkdirSync(folder.at("cwd/config.yaml"));
    expect(problemsOf(() => folder.load({ env: COMPLETE }))).toEqual([" cannot be read: it is a folder"]);
  });

  it("names the system's reason when it cannot read a file", () => {
    const folder = new ConfigFolder();
    symlinkSync("config.yaml", folder.at("cwd/config.yaml"));
    expect(problemsOf(() => folder.load({ env: COMPLETE }))).toEqual([" cannot be read (ELOOP)"]);
  });

  it("refuses a file of more than 1 MiB, and one that is not UTF-8", () => {
    const folder = new ConfigFolder({ "cwd/config.yaml": `#${" ".repeat(1024 * 1024)}` });
    expect(problemsOf(() => folder.load({ env: COMPLETE }))).toEqual([" is larger than 1 MiB"]);
    folder.write("cwd/config.yaml", new Uint8Array([0x61, 0x3a, 0x20, 0xff]));
    expect(problemsOf(() => folder.load({ env: COMPLETE }))).toEqual([" is not UTF-8 text"]);
  });
});

describe("a file", () => {
  it.each([
    ["empty", ""],
    ["of comments", "# nothing\n"],
    ["of null", "null"],
    ["with a byte order mark", "\ufeffui: {enabled: true}"],
    ["of JSON indented with tabs", '{\n\t"ui": {\n\t\t"enabled": true\n\t}\n}\n'],
  ])("%s is fine", (_, text) => expect(loadText(text).values["ui.enabled"]).toBe(true));

  it.each([
    ["a list", "- 1\n", "1: expected a mapping of items to values"],
    ["a text", "hello\n", "1: expected a mapping of items to values"],
    ["a tab as indentation", "auth:\n\tcache:\n", "2: a tab is used as indentation; YAML needs spaces"],
    ["several documents", "ui: {}\n---\nui: {}\n", "2: expected one document, found several"],
    [
      "an unclosed bracket",
      "ui:\n  enabled: [true\n",
      "3: is not indented as YAML wants it, or a closing bracket is missing",
    ],
    [
      "an unknown alias",
      "ui: *other\n",
      '1: a text that begins with * is an alias in YAML, and there is no anchor of its name above it: write "*" in quotes',
    ],
    ["a tag", "email:\n  password: !env SECRET\n", "2: tags such as !env are not supported"],
    [
      "a key twice",
      "ui:\n  enabled: true\n  enabled: false\n",
      '3: the key "enabled" is given twice, first in line 2',
    ],
    ["a section twice", "auth: {}\nui: {}\nauth: {}\n", '3: the key "auth" is given twice, first in line 1'],
    [
      "an item nested and dotted",
      "ui: {enabled: true}\nui.enabled: true\n",
      "2: ui.enabled: is given twice, first in line 1",
    ],
    ["a map as key", "? {a: 1}\n: 2\n", "1: expected a text as key"],
    [
      "a value in place of a section",
      "auth:\n  cache: 5\n",
      "2: auth.cache: expected a section of items, found a number",
    ],
  ])("with %s is refused with its line", (_, text, problem) => {
    expect(problemsOfText(text)).toContain(problem);
  });

  it("never quotes itself in a syntax error, as it may hold secrets", () => {
    const secret = "hunter2secret";
    const broken = [
      `password: "${secret}`,
      `password: @${secret}`,
      `a: b: ${secret}`,
      `%${secret}\n---`,
      `x: "\\q${secret}"`,
      `- ${secret}\nb`,
      `*${secret}`,
      `{${secret}`,
      `x: |${secret}\n y`,
    ];
    for (const text of broken) {
      const error = errorOf(() => loadText(`email:\n  ${text}\n`));
      expect(error.message, text).not.toContain("hunter2");
    }
  });

  it("ends every text in a configuration or a ConfigError", () => {
    const piece = fc.constantFrom(
      "a: ",
      "- ",
      "[",
      "]",
      "{",
      "}",
      "\n",
      "  ",
      "\t",
      "*x ",
      "&x ",
      "!t ",
      '"',
      "'",
      "|",
      "auth",
      "? ",
      "<<: ",
      "__proto__",
      "\0",
      "😀",
      "#",
      "---\n",
      ",",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const folder = new ConfigFolder({ "cwd/config.yaml": pieces.join("") });
        try {
          folder.load({ env: COMPLETE });
        } catch (error) {
          expect(error).toHaveProperty("code", "invalid_request");
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("aliases", () => {
  it("and merge keys repeat values", () => {
    const { values } = loadText(
      "x-defaults: &c {size: 7, ttl: 1m}\nauth:\n  cache:\n    <<: *c\n    ttl: 2m\ntls:\n  cert_file: &f /c.pem\n  key_file: *f\n",
    );
    expect(values["auth.cache.size"]).toBe(7);
    expect(values["auth.cache.ttl"]).toBe(120_000);
    expect(values["tls.key_file"]).toBe("/c.pem");
  });

  it("cannot blow up, nor refer to themselves", () => {
    const levels = Array.from(
      { length: 12 },
      (_, n) => `l${n + 1}: &l${n + 1} [${Array(9).fill(`*l${n}`).join(",")}]`,
    );
    expect(problemsOfText(`l0: &l0 [x]\n${levels.join("\n")}\n`)[0]).toMatch(/holds more than 20000 values$/);
    expect(problemsOfText("a: &a\n  b: *a\n")[0]).toMatch(/is nested deeper than 32 levels$/);
  });

  it("take bounded time, as do deep nesting and very many keys", () => {
    // Of this thread alone: other work of the machine does not count.
    const { user, system } = process.threadCpuUsage();
    problemsOfText(`a: ${"[".repeat(200_000)}`);
    problemsOfText(`a: ${"{a: ".repeat(5_000)}`);
    problemsOfText(Array.from({ length: 60_000 }, (_, n) => `authorizer.x${n}: 1`).join("\n"));
    const spent = process.threadCpuUsage({ user, system });
    expect((spent.user + spent.system) / 1_000).toBeLessThan(10_000);
  });
});

describe("a quoted text over several lines", () => {
  it("need not be indented, since the data server that shares the file does not ask for it", () => {
    const key = `'{
      "type": "service_account",
      "private_key": "-----BEGIN-----\\n"
    }'`;
    const text = `blockstore:\n  type: gs\n  gs:\n    credentials_json: ${key}\nauth:\n  cache:\n    size: 77\n`;
    const folder = new ConfigFolder({ "cwd/config.yaml": text });
    expect(folder.load({ env: COMPLETE }).values["auth.cache.size"]).toBe(77);
    folder.write("cwd/config.yaml", text.replace("size: 77", "size: x"));
    expect(problemsOf(() => folder.load({ env: COMPLETE }))).toEqual([
      expect.stringContaining("auth.cache.size"),
    ]);
  });
});
