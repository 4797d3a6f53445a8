import {
  administration,
  type EscalationPath,
  escalationPaths,
} from "@svc-authorizer/policy/analysis/escalation/escalation-paths.ts";
import type { EscalationStep } from "@svc-authorizer/policy/analysis/escalation/escalation-steps.ts";
import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { decide } from "@svc-authorizer/policy/engine/decide/decide.ts";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { OPTIONS, peopleWorld } from "../../../packages/policy/test/analysis/escalation-world.ts";
import { closedAfterAll } from "../../closed-after-all.ts";
import { type Key, startManagement } from "./kit.ts";

const world = peopleWorld();
const { paths } = escalationPaths(world, OPTIONS);

/** The key of a user of the world. */
function keyOf(username: string): Key {
  const letters = Buffer.from(username)
    .toString("hex")
    .toUpperCase()
    .replaceAll(/[^A-Z]/g, "X");
  const index = [...world.users.keys()].indexOf(username);
  const part = `${String.fromCharCode(65 + index)}${letters}`.padEnd(14, "K").slice(0, 14);
  return { access_key_id: `AKIAJ${part}Q`, secret_access_key: `secret of ${username}`.padEnd(40, "x") };
}

const DATASET = {
  format: 1,
  policies: [...world.policies].map(([name, statement]) => ({ name, statement })),
  groups: [...world.groups].map(([name, policies]) => ({ name, policies })),
  users: [...world.users].map(([username, attached]) => ({
    username,
    ...attached,
    credentials: [keyOf(username)],
  })),
} as unknown as DatasetDocument;

const EVERYTHING = [{ effect: "allow", action: ["*"], resource: "*" }];

/** The call of a step: method, path, body. */
function callOf({ operation, values }: EscalationStep): [string, string, unknown?] {
  const [user, group, policy, made] = ["userId", "groupId", "policyId", "body.id"].map((name) =>
    encodeURIComponent(values[name] ?? ""),
  );
  switch (operation) {
    case "attachPolicyToUser":
      return ["PUT", `/auth/users/${user}/policies/${policy}`];
    case "attachPolicyToGroup":
      return ["PUT", `/auth/groups/${group}/policies/${policy}`];
    case "detachPolicyFromUser":
      return ["DELETE", `/auth/users/${user}/policies/${policy}`];
    case "createPolicy":
      return ["POST", "/auth/policies", { id: made, statement: EVERYTHING }];
    case "updatePolicy":
      return ["PUT", `/auth/policies/${policy}`, { id: values["policyId"], statement: EVERYTHING }];
    case "addGroupMembership":
      return ["PUT", `/auth/groups/${group}/members/${user}`];
    case "createCredentials":
      return ["POST", `/auth/users/${user}/credentials`];
    case "createUserExternalPrincipal":
      return ["POST", `/auth/users/${user}/external/principals?principalId=arn-of-ours`];
    case "setGroupACL":
      return ["POST", `/auth/groups/${group}/acl`, { permission: "Admin" }];
    case "createGroup":
      return ["POST", "/auth/groups", { id: made }];
    default:
      throw new Error(`no call for ${operation}`);
  }
}

const api = await closedAfterAll(startManagement({ "authorizer.escalation": "off" }, DATASET));
beforeEach(() => api.authorizer.reset());

/** Takes the steps as real calls; gives the user as whom the last rights are used. */
async function walk({ user, steps }: EscalationPath): Promise<string> {
  let [actor, key] = [user, keyOf(user)];
  for (const step of steps) {
    expect(step.as).toBe(actor);
    const [method, path, body] = callOf(step);
    const answer = await api.call(key, method, path, body === undefined ? {} : { body });
    expect(answer.status, `${step.operation}: ${answer.text}`).toBeLessThan(300);
    if (!step.operation.startsWith("createCredentials") && !step.operation.startsWith("createUserExternal"))
      continue;
    actor = step.values["userId"] as string;
    if (step.operation === "createCredentials") key = answer.json;
  }
  return actor;
}

describe("every path that the search finds", () => {
  it.each(paths.map((path) => [path.user, path] as const))(
    "makes %s an administrator, taken as calls of the management API",
    async (_, path) => {
      const goal = administration("svc", "somebody-unnamed");
      const effectFor = async (user: string) => {
        const held = (await api.authorizer.directory.principal(user))?.policies ?? [];
        const policies = compile(held, { partition: "svc", evaluator: "extended" });
        return decide(policies, { user, required: goal, context: new Map() }).effect;
      };
      expect(await effectFor(path.user)).not.toBe("allow");
      expect(await effectFor(await walk(path))).toBe("allow");
    },
  );
});
