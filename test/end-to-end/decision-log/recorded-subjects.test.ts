/** Records say who was asked about as the question said it (spec/decision-log §1.1). */

import type { LoggedDecision } from "@svc-authorizer/policy/records/record.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanUp } from "../program.ts";
import { RecordingService } from "./recording-service.ts";

let service: RecordingService;
beforeAll(async () => {
  service = await RecordingService.start(
    {
      format: 1,
      users: [
        { username: "ada", policies: ["All"] },
        { username: "gone", policies: ["All"], inactive: true },
        { username: "team", policies: ["Team"], properties: { team: "blue" } },
      ],
      policies: [
        { name: "All", statement: [{ effect: "allow", action: ["demo:*"], resource: "*" }] },
        {
          name: "Team",
          statement: [
            {
              effect: "allow",
              action: ["demo:*"],
              resource: "*",
              condition: { StringEquals: { "subject.team": ["blue"] } },
            },
          ],
        },
      ],
      resource_types: [
        { type: "note", arn: "arn:svc:demo:::note/{id}", id: "{id}", actions: { read: "demo:Read" } },
      ],
      resources: [{ type: "note", id: "a1" }],
    },
    {
      "authorizer.subjects.types": "user,agent",
    },
  );
});
afterAll(async () => {
  await service.close();
  cleanUp();
});

const agent = (id: string) => ({ type: "agent", id });
const action = { name: "read" };
const resource = { type: "note", id: "a1" };
const types = ({ subject, items = [] }: LoggedDecision) =>
  [subject, ...items.flatMap((item) => item.subject ?? [])].map(({ type }) => type);

describe("the type of a subject, where users have several", () => {
  it.each(["ada", "team", "nobody"])("of an evaluation about %s", async (id) => {
    expect(types(await service.recordOf("/evaluation", { subject: agent(id), action, resource }))).toEqual([
      "agent",
    ]);
  });

  it.each(["ada", "team", "nobody"])("of evaluations about %s", async (id) => {
    const evaluations = [
      { subject: agent(id) },
      { subject: agent(id) },
      { subject: { type: "user", id } },
      { subject: agent(id) },
    ];
    const { subject, items = [] } = await service.recordOf("/evaluations", { action, resource, evaluations });
    expect(items.map((item) => (item.subject ?? subject).type)).toEqual(["agent", "agent", "user", "agent"]);
  });

  it("of searches", async () => {
    const found = await service.recordOf("/search/subject", { subject: { type: "agent" }, action, resource });
    expect(types(found)).toEqual(["agent", "agent"]);
    const none = await service.recordOf("/search/subject", {
      subject: { type: "agent" },
      action: { name: "no" },
      resource,
    });
    expect(types(none)).toEqual(["agent"]);
    const subject = agent("ada");
    expect(
      types(await service.recordOf("/search/resource", { subject, action, resource: { type: "note" } })),
    ).toEqual(["agent"]);
    expect(types(await service.recordOf("/search/action", { subject, resource }))).toEqual(["agent"]);
  });
});

describe("the address of the client is in the record of", () => {
  const context = { SourceIp: "10.0.0.7" };
  const user = (id: string) => ({ type: "user", id });
  const ada = { subject: user("ada"), action, resource };
  const check = { action: "demo:Read", resource: "arn:svc:demo:::note/a1" };
  it.each([
    ["an unknown subject", "/evaluation", { ...ada, subject: user("nobody") }],
    ["an unknown type of subjects", "/evaluation", { ...ada, subject: { type: "robot", id: "ada" } }],
    ["an unknown action", "/evaluation", { ...ada, action: { name: "no" } }],
    ["an unknown type of resources", "/evaluation", { ...ada, resource: { type: "no", id: "a1" } }],
    ["a check of an unknown user", "/check", { user: "nobody", required: check }],
    ["a search for subjects", "/search/subject", ada],
    ["a search for resources", "/search/resource", ada],
    ["a search for actions", "/search/action", ada],
    ["a search without a result", "/search/action", { ...ada, subject: user("nobody") }],
    ["who can", "/who-can", check],
    ["what can", "/what-can", { user: "ada", resource: check.resource }],
    ["a plan", "/plan", { user: "ada", action: "demo:Read" }],
  ])("%s", async (_name, path, body) => {
    expect((await service.recordOf(path, { ...body, context })).context).toEqual(context);
  });

  it("each element of a batch", async () => {
    const evaluations = [{ subject: user("nobody") }, { subject: user("ada"), action: { name: "no" } }];
    const record = await service.recordOf("/evaluations", { ...ada, context, evaluations });
    const { items = [] } = record;
    expect(items.map((item) => (item.subject === undefined ? record : item).context)).toEqual([
      context,
      context,
    ]);
  });
});

describe("who is nobody, or inactive, is an unknown user in the record of", () => {
  const check = { action: "demo:Read", resource: "arn:svc:demo:::note/a1" };
  const filter = { action: check.action, resources: [check.resource] };
  it.each(["nobody", "gone"])("decisions about %s", async (user) => {
    expect((await service.recordOf("/check", { user, required: check })).error).toBe("unknown user");
    const { items = [] } = await service.recordOf("/filter", { user, ...filter });
    expect(items.map(({ error }) => error)).toEqual(["unknown user"]);
  });
});
