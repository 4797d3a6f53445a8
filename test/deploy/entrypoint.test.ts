import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { ROOT } from "./repository.ts";

const SCRIPT = join(ROOT, "deploy", "docker-entrypoint.sh");

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
  // The program in its place prints what it was given.
  const program = join(folder, "svc-authorizer");
  writeFileSync(program, '#!/bin/sh\necho "$SVC_AUTH_ENCRYPT_SECRET_KEY|$SVC_AUTH_API_TOKEN|$*"\n');
  chmodSync(program, 0o755);
});

function start(variables: Record<string, string>, ...args: string[]) {
  const env = { PATH: `${folder}:/usr/bin:/bin`, SECRETS_FOLDER: join(folder, "secrets"), ...variables };
  const { status, stdout, stderr } = spawnSync("/bin/sh", [SCRIPT, ...args], { env, encoding: "utf8" });
  const [secretKey = "", token = "", given = ""] = stdout.trimEnd().split("|");
  return { status, secretKey, token, given, stderr };
}

describe("the container's entry script", () => {
  it("generates two different secrets at the first start and passes them with the arguments on", () => {
    const first = start({ GENERATE_SECRETS: "true" }, "run", "--config", "/a b.yaml");
    expect(first.status).toBe(0);
    expect(first.secretKey).toMatch(/^[0-9a-f]{64}$/);
    expect(first.token).toMatch(/^[0-9a-f]{64}$/);
    expect(first.token).not.toBe(first.secretKey);
    expect(first.given).toBe("run --config /a b.yaml");
  });

  it("keeps them in files that only their owner can read, and never prints them", () => {
    const first = start({ GENERATE_SECRETS: "true" }, "run");
    for (const [name, value] of [
      ["encrypt-secret-key", first.secretKey],
      ["api-token", first.token],
    ] as const) {
      const file = join(folder, "secrets", name);
      expect(readFileSync(file, "utf8")).toBe(value);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(first.stderr).toContain(file);
      expect(first.stderr).not.toContain(value);
    }
    expect(statSync(join(folder, "secrets")).mode & 0o777).toBe(0o700);
  });

  it("takes the same secrets at the next start", () => {
    const first = start({ GENERATE_SECRETS: "true" }, "run");
    const second = start({ GENERATE_SECRETS: "true" }, "run");
    expect([second.secretKey, second.token]).toEqual([first.secretKey, first.token]);
    expect(second.stderr).toBe("");
  });

  it("generates nothing for a secret that is given", () => {
    const given = { SVC_AUTH_ENCRYPT_SECRET_KEY: "k".repeat(40), SVC_AUTH_API_TOKEN: "t".repeat(40) };
    const result = start({ GENERATE_SECRETS: "true", ...given }, "run");
    expect([result.secretKey, result.token]).toEqual(Object.values(given));
    expect(existsSync(join(folder, "secrets"))).toBe(false);
  });

  it("generates nothing unless it is asked to", () => {
    const result = start({}, "config", "validate");
    expect(result).toMatchObject({ status: 0, secretKey: "", token: "", given: "config validate" });
    expect(existsSync(join(folder, "secrets"))).toBe(false);
  });

  it("stops with an error where the volume cannot be written, rather than start without secrets", () => {
    mkdirSync(join(folder, "file"));
    writeFileSync(join(folder, "file", "taken"), "");
    const result = start({ GENERATE_SECRETS: "true", SECRETS_FOLDER: join(folder, "file", "taken") }, "run");
    expect(result.status).not.toBe(0);
    expect(result.given).toBe("");
  });
});
