import { escalationPaths } from "@svc-authorizer/policy/analysis/escalation/escalation-paths.ts";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import { describe, expect, it, vi } from "vitest";
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

  it("try no step for users who may do nothing with users, groups and policies", () => {
    const { policies, groups } = peopleWorld();
    const reads: readonly Statement[] = [{ effect: "allow", action: ["fs:Read*"], resource: "*" }];
    const users = Array.from({ length: 100 }, (_, index) => {
      return [`reader-${index}`, { groups: ["readers"], policies: [] }] as const;
    });
    const world = {
      users: new Map(users),
      groups: new Map([...groups, ["readers", ["reads"]]]),
      policies: new Map([...policies, ["reads", reads]]),
    };
    const requirement = vi.fn(OPTIONS.requirement);
    const isOver = () => true;
    const found = escalationPaths(world, { ...OPTIONS, requirement, isOver });
    expect(found).toEqual({ administrators: [], paths: [], undecided: [] });
    expect(requirement).not.toHaveBeenCalled();
  });
});
