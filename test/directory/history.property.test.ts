/** Going back to any state of a random past. */

import fc from "fast-check";
import { expect, it } from "vitest";
import type { BatchOperation } from "../../src/directory/batch.ts";
import { checkConsistency } from "../../src/directory/upkeep/check-store.ts";
import { sized } from "../proofs/size.ts";
import { comparable, READS, WRITES } from "./history-kit.ts";
import { openTestDirectory } from "./open-test-directory.ts";

const user = fc.constantFrom("alice", "é");
const group = fc.constantFrom("Admins", "G");
const policy = fc.constantFrom("P", "Q");
const type = fc.constantFrom("door", "gate");
const operation: fc.Arbitrary<BatchOperation> = fc.oneof(
  fc.record({
    op: fc.constant("put_user" as const),
    user: fc.record(
      {
        username: user,
        email: fc.constantFrom("a@x.org", "b@x.org"),
        external_id: fc.constantFrom("1", "2"),
      },
      { requiredKeys: ["username"] },
    ),
  }),
  fc.record({ op: fc.constant("delete_user" as const), username: user }),
  fc.record({ op: fc.constant("put_group" as const), name: group, description: fc.constantFrom("x", "y") }),
  fc.record({ op: fc.constant("delete_group" as const), name: group }),
  fc.record({
    op: fc.constant("put_policy" as const),
    policy: fc.record({ name: policy, statement: fc.constantFrom(READS, WRITES) }),
  }),
  fc.record({ op: fc.constant("delete_policy" as const), name: policy }),
  fc.record({ op: fc.constantFrom("add_member" as const, "remove_member" as const), group, username: user }),
  fc.record({
    op: fc.constantFrom("attach_to_user" as const, "detach_from_user" as const),
    username: user,
    policy,
  }),
  fc.record({ op: fc.constantFrom("attach_to_group" as const, "detach_from_group" as const), group, policy }),
  fc.record({
    op: fc.constantFrom("put_principal" as const, "delete_principal" as const),
    username: user,
    principal: fc.constantFrom("p", "q"),
  }),
  type.map((name) => ({
    op: "put_resource_type" as const,
    resourceType: {
      type: name,
      arn: `arn:svc:doors:::${name}/{id}`,
      id: "{id}",
      actions: { open: "doors:Open" },
    },
  })),
  fc.record({
    op: fc.constant("put_resource" as const),
    resource: fc.record({ type, id: fc.constantFrom("1", "2") }),
  }),
  fc.record({ op: fc.constant("delete_resource" as const), type, id: fc.constantFrom("1", "2") }),
);

/** Everything that the operations refer to. */
const BASE: readonly BatchOperation[] = [
  ...["alice", "é"].map((username) => ({ op: "put_user" as const, user: { username } })),
  ...["Admins", "G"].map((name) => ({ op: "put_group" as const, name })),
  ...["P", "Q"].map((name) => ({ op: "put_policy" as const, policy: { name, statement: READS } })),
];

it("goes back to any of its states, and on from there", async () => {
  const step = fc.oneof({ weight: 6, arbitrary: operation }, { weight: 1, arbitrary: fc.nat({ max: 99 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 80, size: "max" }), async (steps) => {
      const bed = await openTestDirectory();
      await bed.directory.batches.apply(BASE, { managed: false });
      const states = new Map<number, unknown>();
      const note = async (): Promise<void> => {
        const state = comparable(await bed.directory.batches.state({ secrets: false }));
        states.set(bed.store.history.head.revision, state);
      };
      await note();
      for (const one of steps) {
        if (typeof one === "number") {
          const [from, state] = [...states][one % states.size]!;
          const options = { withCredentials: true, forgetRevocations: true, dryRun: false };
          try {
            await bed.directory.history.restore(from, options);
          } catch (error) {
            // Nobody was in Admins then, and somebody is now.
            expect(error).toMatchObject({ code: "invalid_request" });
            continue;
          }
          expect(comparable(await bed.directory.batches.state({ secrets: false }))).toEqual(state);
        } else {
          await bed.directory.batches.apply([one], { managed: false }).catch(() => undefined);
        }
        await note();
      }
      for (const [at, state] of states) {
        expect(comparable(await bed.directory.history.state(at, { secrets: false }))).toEqual(state);
      }
      expect(await checkConsistency(bed.store)).toEqual([]);
      await bed.close();
    }),
    { numRuns: sized(20, 60) },
  );
});
