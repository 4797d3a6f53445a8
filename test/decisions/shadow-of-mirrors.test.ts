/** A shadow asks about mirrors as the service did (spec/decision-log §4.2). */

import { expect, it } from "vitest";
import type { CheckRequest } from "../../src/decisions/decisions.ts";
import { askAgain, type ShadowQuestion } from "../../src/decisions/shadow/shadow-question.ts";
import { shadowed } from "../../src/decisions/shadow/shadowed-decisions.ts";
import { openWorld } from "./world.ts";

it.each([true, false])(
  "a call that manages mirrors (%s) has no other answer in the same directory",
  async (managesMirrors) => {
    const mirrors = async () => [
      { repository: "sales-west", storageNamespace: "s3://sales-west", filledBy: undefined },
    ];
    const world = await openWorld({ mirrors });
    try {
      await world.directory.users.create({ username: "ann" });
      await world.grant("All", "*");
      await world.directory.users.attachPolicy("ann", "All");
      const told: { readonly question: ShadowQuestion; readonly allowed: boolean }[] = [];
      const decisions = shadowed(world.decisions, {
        takes: () => true,
        answered: (question, allowed) => void told.push({ question, allowed }),
        evaluated: () => undefined,
      });
      const request: CheckRequest = {
        user: "ann",
        required: { action: "fs:DeleteRepository", resource: "arn:svc:fs:::repository/sales-west" },
        context: new Map(),
        explain: false,
        entrance: "management",
        requestId: "",
        managesMirrors,
      };
      expect((await decisions.check(request)).effect).toBe(managesMirrors ? "allow" : "deny");
      const [first] = told;
      expect(told).toHaveLength(1);
      expect(await askAgain(world.decisions, first?.question as ShadowQuestion)).toBe(first?.allowed);
    } finally {
      await world.close();
    }
  },
);
