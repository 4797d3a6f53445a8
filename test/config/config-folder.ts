/** A folder with configuration files for one test, and the sources that lead nowhere else. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ConfigError, formatProblem } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { onTestFinished } from "vitest";
import { type LoadedConfig, type LoadOptions, loadConfig } from "../../src/config/load.ts";

/** A secret key that is long enough and nobody's. */
export const KEY = "0f8a6c1e94b27d53".repeat(3);

/** Variables that complete a configuration. */
export const COMPLETE = { SVC_AUTH_ENCRYPT_SECRET_KEY: KEY, SVC_DATABASE_TYPE: "mem" };

/** A temporary folder with `home`, `etc` and `cwd` below it, removed when the test ends. */
export class ConfigFolder {
  readonly path: string;

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.path = mkdtempSync(join(tmpdir(), "svc-config-"));
    onTestFinished(() => rmSync(this.path, { recursive: true, force: true }));
    for (const folder of ["home", "etc", "cwd"]) mkdirSync(join(this.path, folder));
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  at(name: string): string {
    return join(this.path, name);
  }

  write(name: string, text: string | Uint8Array): string {
    const path = this.at(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  /** Options that look only into this folder. */
  options(more: Partial<LoadOptions> = {}): LoadOptions {
    return { env: {}, cwd: this.at("cwd"), home: this.at("home"), etc: this.at("etc"), ...more };
  }

  load(more: Partial<LoadOptions> = {}): LoadedConfig {
    return loadConfig(this.options(more));
  }
}

/** Loads one file's text beside complete variables. */
export function loadText(text: string, more: Partial<LoadOptions> = {}): LoadedConfig {
  return new ConfigFolder({ "cwd/config.yaml": text }).load({ env: COMPLETE, ...more });
}

/** The error that a load throws. */
export function errorOf(load: () => unknown): ConfigError {
  try {
    load();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("expected a ConfigError");
}

/** The problems of a load as `line item: message`, without the path of the file. */
export function problemsOf(load: () => unknown): readonly string[] {
  return errorOf(load).problems.map((problem) => formatProblem(problem).replace(/^\/.*?config\.yaml:?/, ""));
}

/** The problems of one file's text. */
export function problemsOfText(text: string, more: Partial<LoadOptions> = {}): readonly string[] {
  return problemsOf(() => loadText(text, more));
}
