import { describe, expect, it } from "vitest";
import { PathTrie } from "../../src/request-map/path-trie.ts";

function trieOf(...templates: readonly string[]): PathTrie<string> {
  const trie = new PathTrie<string>();
  for (const template of templates) trie.at(template.split("/"), () => template);
  return trie;
}

describe("a tree of path templates", () => {
  const trie = trieOf("a/{x}/c", "a/b/{y}/d", "a/{x}/{y}/e", "k/{x}/{rest+}");

  it.each([
    ["a/1/c", "a/{x}/c", ["1"]],
    ["a/b/c", "a/{x}/c", ["b"]],
    ["a/b/c/d", "a/b/{y}/d", ["c"]],
    ["a/b/c/e", "a/{x}/{y}/e", ["b", "c"]],
    ["k/1/2", "k/{x}/{rest+}", ["1", "2"]],
    ["k/1/2//3/", "k/{x}/{rest+}", ["1", "2//3/"]],
    ["k/1//", "k/{x}/{rest+}", ["1", "/"]],
  ])("%s fits %s", (path, at, segments) => {
    expect(trie.find(path.split("/"))).toEqual({ at, segments });
  });

  it.each([
    "",
    "a",
    "a/b",
    "a/b/c/f",
    "a//c",
    "a/1/c/",
    "/a/1/c",
    "k/1",
    "k/1/",
    "k//2",
    "b/1/c",
    "a/{x}/c/d",
  ])("%j fits nothing", (path) => {
    expect(trie.find(path.split("/"))).toBeUndefined();
  });

  it("keeps what stands at a template", () => {
    const same = trieOf("a/{x}");
    expect(same.at(["a", "{other}"], () => "new")).toBe("a/{x}");
  });

  it("looks at each of its nodes once at most, however many ways there are", () => {
    // A literal and a parameter at each level: 2^12 ways down, and none of them ends in "z".
    const depth = 12;
    const ways = new PathTrie<string>();
    for (let bits = 0; bits < 2 ** depth; bits++) {
      const template = Array.from({ length: depth }, (_, level) => ((bits >> level) & 1 ? "a" : "{p}"));
      ways.at([...template, "end"], () => "");
    }
    let looks = 0;
    const path = new Proxy([...Array<string>(depth).fill("a"), ...Array<string>(1000).fill("z")], {
      get(target, name, receiver) {
        if (typeof name === "string" && /^\d+$/.test(name)) looks++;
        return Reflect.get(target, name, receiver);
      },
    });
    expect(ways.find(path)).toBeUndefined();
    expect(looks).toBeLessThanOrEqual(2 ** (depth + 1));
  });
});
