import { describe, expect, it } from "vitest";
import { closedAfterAll } from "../../../closed-after-all.ts";
import { startManagement } from "../kit.ts";

const api = await closedAfterAll(startManagement());

const DOCUMENT = { format: 1 };

describe("the body of an application", () => {
  const cases = [
    [{}, "manager"],
    [{ manager: "a" }, "documents"],
    [{ manager: "", documents: [DOCUMENT] }, "manager"],
    [{ manager: "a b", documents: [DOCUMENT] }, "manager"],
    [{ manager: "-a", documents: [DOCUMENT] }, "manager"],
    [{ manager: "x".repeat(129), documents: [DOCUMENT] }, "manager"],
    [{ manager: 1, documents: [DOCUMENT] }, "manager"],
    [{ manager: "a", documents: [] }, "documents"],
    [{ manager: "a", documents: {} }, "documents"],
    [{ manager: "a", documents: ["x"] }, "documents/0"],
    [{ manager: "a", documents: Array.from({ length: 10_001 }, () => DOCUMENT) }, "documents"],
    [{ manager: "a", documents: [DOCUMENT], prune: "yes" }, "prune"],
    [{ manager: "a", documents: [DOCUMENT], dryrun: true }, "dryrun"],
  ] as const;

  it.each(cases.map(([body, field]) => [JSON.stringify(body).slice(0, 60), field, body] as const))(
    "is refused: %s, naming %s",
    async (_, field, body) => {
      const { revision } = api.authorizer.directory.history.head;
      const answer = await api.call("admin", "POST", "/auth/apply", { body });
      expect([answer.status, answer.json.message]).toEqual([400, expect.stringContaining(field)]);
      expect(api.authorizer.directory.history.head.revision).toBe(revision);
    },
  );

  it("may have a name of any usual form", async () => {
    for (const manager of ["a", "acme/access", "team-a@2.1_x", "9".repeat(128)]) {
      const body = { manager, documents: [DOCUMENT] };
      expect((await api.call("admin", "POST", "/auth/apply", { body })).status).toBe(200);
    }
  });
});
