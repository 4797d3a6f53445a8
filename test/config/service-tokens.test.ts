import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { readServiceTokens, tokenDigest } from "../../src/config/service-tokens.ts";
import { ConfigFolder, errorOf } from "./config-folder.ts";

const TOKEN = "z9".repeat(16);

it("every form of a token has the same digest", () => {
  const folder = new ConfigFolder({ "a.token": `${TOKEN}\n` });
  const tokens = readServiceTokens([
    { name: "text", token: TOKEN, scopes: ["read"] },
    { name: "file", token_file: folder.at("a.token"), scopes: ["decide", "metrics"] },
    { name: "digest", token_sha256: createHash("sha256").update(TOKEN).digest("hex"), scopes: ["write"] },
  ]);
  expect(tokens.map((token) => token.digest.equals(tokenDigest(TOKEN)))).toEqual([true, true, true]);
  expect(tokens[1]?.scopes).toEqual(new Set(["decide", "metrics"]));
});

it("every unreadable or short token file is named, without its content", () => {
  const folder = new ConfigFolder({ "short.token": "hunter2\n" });
  const error = errorOf(() =>
    readServiceTokens([
      { name: "a", token_file: folder.at("absent"), scopes: ["read"] },
      { name: "b", token_file: folder.at("short.token"), scopes: ["read"] },
    ]),
  );
  expect(error.problems.map((problem) => [problem.file, problem.pointer])).toEqual([
    [folder.at("absent"), "/authorizer/tokens/0"],
    [folder.at("short.token"), "/authorizer/tokens/1"],
  ]);
  expect(error.problems[0]?.message).toBe(`"a": there is no such file`);
  expect(error.message).not.toContain("hunter2");
});
