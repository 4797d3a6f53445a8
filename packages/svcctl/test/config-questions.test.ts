/** `svcctl config` on a terminal: a person who reads the questions and types. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { runSvcctl } from "@svc-authorizer/svcctl/program.ts";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { sink } from "./run-svcctl.ts";

const CTRL_C = "\u0003";
const QUESTIONS = { key: "Access key ID", secret: "Secret access key", url: "Server endpoint URL" };

/** Runs `svcctl config` and types each answer once its question is on the screen. */
async function converse(
  path: string,
  answers: readonly (readonly [question: string, typed: string])[],
  args: string[] = [],
) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const [stdout, stderr] = [sink(true), sink()];
  const done = runSvcctl(
    ["config", "-c", path, ...args],
    { stdin, stdout, stderr, cwd: "/" },
    { HOME: "/nowhere" },
  );
  for (const [question, typed] of answers) {
    await expect
      .poll(() => stripVTControlCharacters(stdout.text()), { interval: 5, timeout: 5000 })
      .toContain(question);
    stdin.write(typed);
  }
  const code = await done;
  return { code, screen: stripVTControlCharacters(stdout.text()), stderr: stderr.text() };
}

describe("svcctl config on a terminal", () => {
  it("asks for three values and never shows the secret", async () => {
    const path = join(temporaryFolder(), "svcctl.yaml");
    const { code, screen } = await converse(path, [
      [QUESTIONS.key, "KEY\r"],
      [QUESTIONS.secret, "hidden\r"],
      [QUESTIONS.url, "https://data.example.com\r"],
    ]);
    expect(code).toBe(0);
    expect(screen).toContain(`Config file ${path} will be used`);
    expect(screen).toContain("*".repeat("hidden".length));
    expect(screen).not.toContain("hidden");
    expect(parse(readFileSync(path, "utf8"))).toMatchObject({
      credentials: { access_key_id: "KEY", secret_access_key: "hidden" },
      server: { endpoint_url: "https://data.example.com" },
    });
  });

  it("offers current values as defaults, and refuses an endpoint that is none", async () => {
    const path = join(temporaryFolder(), "svcctl.yaml");
    writeFileSync(
      path,
      "credentials: {access_key_id: OLD, secret_access_key: KEPT}\nserver: {endpoint_url: http://old}\n",
    );
    const { code, screen } = await converse(path, [
      [QUESTIONS.key, "\r"],
      [QUESTIONS.secret, "\r"],
      [QUESTIONS.url, "nonsense\r"],
      ["invalid server.endpoint_url", "\u0015http://new:8000\r"],
    ]);
    expect(code).toBe(0);
    expect(screen).toContain("(OLD)");
    expect(screen).not.toContain("KEPT");
    expect(parse(readFileSync(path, "utf8"))).toMatchObject({
      credentials: { access_key_id: "OLD", secret_access_key: "KEPT" },
      server: { endpoint_url: "http://new:8000" },
    });
  });

  it("asks only for what options do not give", async () => {
    const path = join(temporaryFolder(), "svcctl.yaml");
    const args = ["--access-key-id", "KEY", "--endpoint-url", "http://h:1"];
    const { code, screen } = await converse(path, [[QUESTIONS.secret, "hidden\r"]], args);
    expect(code).toBe(0);
    expect(screen).not.toContain(QUESTIONS.key);
    expect(parse(readFileSync(path, "utf8")).credentials).toEqual({
      access_key_id: "KEY",
      secret_access_key: "hidden",
    });
  });

  it("writes nothing when it is interrupted", async () => {
    const path = join(temporaryFolder(), "svcctl.yaml");
    const { code, stderr } = await converse(path, [
      [QUESTIONS.key, "KEY\r"],
      [QUESTIONS.secret, CTRL_C],
    ]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "^C\nError executing command.\n" });
    expect(() => readFileSync(path)).toThrow("ENOENT");
  });
});
