/** Names of items in any letter case, as a data server reads them, and what a hint says. */

import { ConfigError } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { describe, expect, it } from "vitest";
import { configFromObject } from "../../src/config/load.ts";

const read = (config: object) => configFromObject(config as never, {});

function problemsOf(config: object): string {
  try {
    read(config);
    return "";
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return JSON.stringify(error.problems);
  }
}

const WHOLE = { "database.type": "mem", "auth.encrypt.secret_key": "x".repeat(40) };

describe("the names of items", () => {
  it("may be in any letter case, as sections and with dots", () => {
    const { values } = read({
      ...WHOLE,
      auth: { UI_Config: { RBAC: "simplified" } },
      "LOGGING.Level": "DEBUG",
    });
    expect(values["auth.ui_config.rbac"]).toBe("simplified");
    expect(values["logging.level"]).toBe("DEBUG");
  });

  it.each([
    ["warning", "WARN"],
    ["Warn", "WARN"],
    ["panic", "ERROR"],
    ["NULL", "NONE"],
  ])("name the level %s as the data server does", (text, level) => {
    const { values } = read({ ...WHOLE, "logging.level": text, "logging.audit_log_level": text });
    expect([values["logging.level"], values["logging.audit_log_level"]]).toEqual([level, level]);
  });

  it("are one item in two spellings: given twice", () => {
    const twice = { ...WHOLE, auth: { ui_config: { RBAC: "simplified", rbac: "external" } } };
    expect(problemsOf(twice)).toContain("given twice");
  });

  it("have the data server's former name of a secret, too", () => {
    const { values } = read({
      ...WHOLE,
      installation: { access_key_id: "A", access_secret_key: "long-enough" },
    });
    expect(values["installation.secret_access_key"]).toBe("long-enough");
  });
});

describe("a hint", () => {
  it("names no secret of another section", () => {
    const problems = problemsOf({
      ...WHOLE,
      authorizer: { secret_access_kye: "x", previous_secret_kye: "y" },
    });
    expect(problems).not.toContain("bootstrap_admin.secret_access_key");
    expect(problems).toContain("did you mean authorizer.previous_secret_key?");
  });
});
