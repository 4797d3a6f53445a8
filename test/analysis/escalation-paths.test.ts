import { describe, expect, it } from "vitest";
import { escalationPaths } from "../../src/analysis/escalation/escalation-paths.ts";
import { OPTIONS, PEOPLE, peopleWorld } from "./escalation-world.ts";

const report = escalationPaths(peopleWorld(), OPTIONS);
const pathOf = (user: string) => report.paths.find((path) => path.user === user);

describe("escalation paths", () => {
  it.each(Object.entries(PEOPLE))("of %s", (user, [, expected]) => {
    expect(pathOf(user)?.steps.map(({ operation }) => operation)).toEqual(expected);
    expect(report.administrators).not.toContain(user);
  });

  it("name administrators, and leave nobody undecided", () => {
    expect(report.administrators).toEqual(["admin"]);
    expect(report.undecided).toEqual([]);
  });

  it("say for each step who calls, on what, and which statements allow it", () => {
    expect(pathOf("two-steps")?.steps).toEqual([
      {
        operation: "createCredentials",
        as: "two-steps",
        values: { userId: "joiner" },
        allowedBy: [{ policy: "two-steps", statement: 0 }],
      },
      {
        operation: "addGroupMembership",
        as: "joiner",
        values: { groupId: "Admins", userId: "joiner" },
        allowedBy: [{ policy: "joiner", statement: 0 }],
      },
    ]);
  });

  it("count conditions that the context fulfils", () => {
    const inOffice = { ...OPTIONS, context: new Map([["SourceIp", "10.1.2.3"]]) };
    const found = escalationPaths(peopleWorld(), inOffice).paths.find(({ user }) => user === "office-worker");
    expect(found?.steps.map(({ operation }) => operation)).toEqual(["addGroupMembership"]);
  });

  it("are as long as wanted, and a search that is too large says so", () => {
    const short = escalationPaths(peopleWorld(), { ...OPTIONS, mostSteps: 1 });
    expect(short.paths.map(({ user }) => user)).not.toContain("two-steps");
    const small = escalationPaths(peopleWorld(), { ...OPTIONS, mostStates: 2 });
    expect(small.undecided).toContain("founder");
  });
});
