import { parseTemplate } from "@svc-authorizer/policy/model/condition-variables.ts";
import { describe, expect, it } from "vitest";

const text = (one: string, literal = false) => ({ text: one, literal });

describe("a value", () => {
  it.each([
    ["", [text("")]],
    ["a$b{c}", [text("a$b{c}")]],
    ["${user}", [{ variable: "user" }]],
    ["a${user}b", [text("a"), { variable: "user" }, text("b")]],
    ["${subject.a.b}${resource.c}", [{ variable: "subject.a.b" }, { variable: "resource.c" }]],
    ["${context.a b}", [{ variable: "context.a b" }]],
    ["${*}*${?}${$}", [text("*", true), text("*"), text("?", true), text("$", true)]],
    ["${$}{user}", [text("$", true), text("{user}")]],
    ["${subject.a, 'b'}", [{ variable: "subject.a", fallback: "b" }]],
    ["${ subject.a ,'b, c '}", [{ variable: "subject.a", fallback: "b, c " }]],
    ["${subject.a, ''}", [{ variable: "subject.a", fallback: "" }]],
  ])("%j is taken apart", (value, parts) => {
    expect(parseTemplate(value)).toEqual({ parts });
  });

  it.each([
    ["${}", "unknown variable ${}"],
    ["${User}", "unknown variable ${User}"],
    ["${ user }", "unknown variable"],
    ["${team}", "unknown variable ${team}"],
    ["${subject.}", "unknown variable"],
    ["${subject}", "unknown variable"],
    ["${action.X}", "unknown variable"],
    ["${aws:username}", "unknown variable"],
    ["${${user}}", "unknown variable"],
    ["a${user", "without }"],
    ["${", "without }"],
    ["${user, alice}", "default without quotes"],
    ["${user, '}", "default without quotes"],
    ["${user,}", "default without quotes"],
  ])("%j has a problem", (value, problem) => {
    expect(parseTemplate(value)).toEqual({ problem: expect.stringContaining(problem) });
  });

  it("is taken apart in linear time", () => {
    expect(parseTemplate("${user}".repeat(100_000))).toMatchObject({ parts: { length: 100_000 } });
    expect(parseTemplate(`\${user}${"${".repeat(500_000)}`)).toHaveProperty("problem");
  });
});
