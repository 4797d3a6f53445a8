/** `/evaluations` answers each element as `/evaluation` does, also where it takes the short way (spec/decision-api §2). */

import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { expect, it } from "vitest";
import { post } from "../../http/service-kit.ts";

/** Alice and bob read repository a; bob is inactive. */
async function started(types: readonly string[]): Promise<TestAuthorizer> {
  const service = await startAuthorizer({ config: { "authorizer.subjects.types": types } as never });
  const { directory } = service;
  await directory.policies.create({
    name: "Reads",
    statement: [{ effect: "allow", action: ["fs:Read*"], resource: "arn:svc:fs:::repository/a" }],
  });
  const provisioning = directory.provisioning(() => false);
  for (const username of ["alice", "bob"]) {
    const { id } = await provisioning.createUser({ username });
    await directory.users.attachPolicy(username, "Reads");
    if (username === "bob") await provisioning.changeUser(id, (user) => ({ ...user, inactive: true }));
  }
  return service;
}

/** Every subject with every resource, so that neighbours differ in the subject, and do not. */
const ELEMENTS = ["user", "identity", "User", "group"].flatMap((type) =>
  ["alice", "bob", "carol"].flatMap((id) =>
    ["a", "b"].flatMap((resource) =>
      ["read", "fs:ReadRepository", "nothing"].map((name) => ({
        subject: { type, id },
        action: { name },
        resource: { type: "repository", id: resource },
      })),
    ),
  ),
);

interface Evaluated {
  readonly decision: boolean;
  readonly context?: { readonly reason?: string; readonly reason_user?: object };
}

/** The parts of an answer that are the same each time. */
function told({ decision, context }: Evaluated) {
  return { decision, reason: context?.reason, text: context?.reason_user };
}

it.each([[["user"]], [["identity"]], [["identity", "user"]]])(
  "users are subjects of the types %j",
  { timeout: 60_000 },
  async (types) => {
    const service = await started(types);
    try {
      const single: unknown[] = [];
      // The users are in the cache after it.
      for (const element of ELEMENTS) {
        single.push(told((await post(service, "/access/v1/evaluation", element)).body));
      }
      const allowed = single.filter((one) => (one as Evaluated).decision);
      // Alice reads one repository, by two names of the action, as each of the types.
      expect(allowed).toHaveLength(2 * types.length);
      const { body } = await post(service, "/access/v1/evaluations", { evaluations: ELEMENTS });
      expect((body.evaluations as Evaluated[]).map(told)).toEqual(single);
      const { body: sameUser } = await post(service, "/access/v1/evaluations", {
        action: { name: "read" },
        resource: { type: "repository", id: "a" },
        evaluations: ["user", "identity", "user"].map((type) => ({ subject: { type, id: "alice" } })),
      });
      expect((sameUser.evaluations as Evaluated[]).map(({ decision }) => decision)).toEqual(
        ["user", "identity", "user"].map((type) => types.includes(type)),
      );
    } finally {
      await service.close();
    }
  },
);
