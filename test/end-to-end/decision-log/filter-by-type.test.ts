/** Filters of ids of a type: the type counts, in the decision and in its record (spec/decision-api §3.2, spec/decision-log §1.1). */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanUp } from "../program.ts";
import { RecordingService } from "./recording-service.ts";

const arn = (id: string) => `arn:svc:demo:::text/${id}`;
const type = (name: string) => ({ type: name, arn: arn("{id}"), id: "{id}", actions: { read: "demo:Read" } });
let service: RecordingService;
beforeAll(async () => {
  service = await RecordingService.start({
    format: 1,
    users: [
      { username: "ada", policies: ["Open"] },
      { username: "plain", policies: ["All"] },
    ],
    policies: [
      {
        name: "Open",
        statement: [
          {
            effect: "allow",
            action: ["demo:Read"],
            resource: "*",
            condition: { StringEquals: { "resource.state": ["open"] } },
          },
        ],
      },
      { name: "All", statement: [{ effect: "allow", action: ["demo:Read"], resource: "*" }] },
    ],
    // Both have the same ARNs.
    resource_types: [type("draft"), type("page")],
    resources: [
      { type: "draft", id: "1", properties: { state: "open" } },
      { type: "page", id: "1", properties: { state: "closed" } },
      { type: "page", id: "2", properties: { state: "open" } },
    ],
  });
});
afterAll(async () => {
  await service.close();
  cleanUp();
});

const IDS = ["2", "1"];

/** The ids that a filter allows, asked at once or as a stream. */
const FILTERS = {
  json: async (question: object, ids: readonly string[]) => {
    const answer = JSON.parse(await service.ask("/filter", JSON.stringify({ ...question, ids })));
    return answer.allowed.map((index: number) => ids[index]);
  },
  stream: async (question: object, ids: readonly string[]) => {
    const lines = [question, ...ids].map((line) => JSON.stringify(line)).join("\n");
    const answer = (await service.ask("/filter", lines, "application/x-ndjson")).trim().split("\n");
    return answer.map((line) => JSON.parse(line).index).flatMap((index) => ids[index] ?? []);
  },
} as const;

describe.each(["json", "stream"] as const)("a filter (%s)", (form) => {
  it.each(["draft", "page"])("of ids of the type %s says what evaluations of it say", async (name) => {
    const evaluated: string[] = [];
    for (const id of IDS) {
      const resource = { type: name, id };
      const body = { subject: { type: "user", id: "ada" }, action: { name: "read" }, resource };
      if (JSON.parse(await service.ask("/evaluation", JSON.stringify(body))).decision) evaluated.push(id);
    }
    expect(await FILTERS[form]({ user: "ada", action: "read", type: name }, IDS)).toEqual(evaluated);
  });

  it.each(["ada", "plain", "nobody"])("about %s is recorded with the type and the ids", async (user) => {
    const before = service.records.length;
    await FILTERS[form]({ user, action: "read", type: "page" }, IDS);
    const left = service.records.slice(before);
    const resources = left.flatMap(({ items = [] }) => items.map(({ resource }) => resource));
    expect(resources).toEqual(IDS.map((id) => ({ arn: arn(id), type: "page", id })));
  });

  it.each([
    ["an unknown type", "planet", "read"],
    ["an unknown action", "page", "fly"],
  ])("of %s is recorded with who was asked about", async (_name, asked, action) => {
    const context = { SourceIp: "10.0.0.7" };
    expect(await FILTERS[form]({ user: "ada", action, type: asked, context }, IDS)).toEqual([]);
    expect(service.records.at(-1)).toMatchObject({
      subject: { type: "user", id: "ada" },
      action,
      context,
      decision: false,
    });
  });
});
