/** Bodies of the searches: what they take, and what they refuse for its form. */

const ARN = "arn:svc:fs:::repository/data/object/a";
const SUBJECT = { type: "user", id: "alice" };
const ACTION = { name: "read" };
const RESOURCE = { type: "object", id: "data/a" };

const SUBJECTS = { subject: { type: "user" }, action: ACTION, resource: RESOURCE };
const RESOURCES = { subject: SUBJECT, action: ACTION, resource: { type: "repository" } };
const ACTIONS = { subject: SUBJECT, resource: RESOURCE };
const WHO = { action: "fs:ReadObject", resource: ARN };
const WHAT = { user: "alice", resource: ARN };
const PLAN = { user: "alice", action: "fs:ReadObject" };

/** Pages that every search takes, and such as none takes. */
const PAGES = [{}, null, { limit: 1 }, { limit: 5_000 }, { limit: null, token: null }];
const NO_PAGES = [
  [],
  1,
  { limit: 0 },
  { limit: -1 },
  { limit: 1.5 },
  { limit: "1" },
  { token: 1 },
  { limit: [] },
];

interface Bodies {
  readonly taken: readonly unknown[];
  readonly refused: readonly unknown[];
}

function withPages(body: object, { taken, refused }: Bodies): Bodies {
  return {
    taken: [body, ...PAGES.map((page) => ({ ...body, page })), ...taken],
    refused: ["text", [], {}, ...NO_PAGES.map((page) => ({ ...body, page })), ...refused],
  };
}

/** Bodies that all AuthZEN searches share. */
function entities(
  body: { readonly subject: object; readonly resource: object },
  refused: readonly unknown[],
): Bodies {
  return withPages(body, {
    taken: [
      { ...body, context: { SourceIp: "10.0.0.1" }, unknown: 1, page: { limit: 2, sort: "up" } },
      { ...body, context: null, subject: { ...body.subject, properties: { a: [1] }, more: 1 } },
      { ...body, subject: { ...body.subject, type: "spaceship" } },
      { ...body, resource: { ...body.resource, type: "unheard", properties: null } },
    ],
    refused: [
      { ...body, subject: undefined },
      { ...body, resource: null },
      { ...body, resource: { id: "data/a" } },
      { ...body, subject: { type: 1, id: "alice" } },
      { ...body, subject: { ...body.subject, properties: "x" } },
      { ...body, context: [] },
      ...refused,
    ],
  });
}

/** Bodies that all native searches share. */
function native(body: object, refused: readonly unknown[]): Bodies {
  return withPages(body, {
    taken: [
      { ...body, context: { SourceIp: "10.0.0.1", deep: { a: 1 } } },
      { ...body, context: null },
    ],
    refused: [
      { ...body, unknown: 1 },
      { ...body, page: { limit: 1, sort: "up" } },
      { ...body, context: 1 },
      ...refused,
    ],
  });
}

/** Bodies by path. */
export const SEARCH_BODIES: Readonly<Record<string, Bodies>> = {
  "/access/v1/search/subject": entities(SUBJECTS, [
    { ...SUBJECTS, action: undefined },
    { ...SUBJECTS, action: { name: 1 } },
    { ...SUBJECTS, resource: { type: "object" } },
  ]),
  "/access/v1/search/resource": entities(RESOURCES, [
    { ...RESOURCES, subject: { type: "user" } },
    { ...RESOURCES, action: "read" },
  ]),
  "/access/v1/search/action": entities(ACTIONS, [
    { ...ACTIONS, subject: { type: "user" } },
    { ...ACTIONS, resource: { type: "object" } },
  ]),
  "/access/v1/plan": {
    taken: [
      PLAN,
      { ...PLAN, type: "object", action: "read", context: { SourceIp: "10.0.0.1" } },
      { ...PLAN, user: "nobody" },
      { ...PLAN, type: "unheard" },
    ],
    refused: [
      "text",
      [],
      {},
      { ...PLAN, user: 1 },
      { ...PLAN, type: 1 },
      { user: "alice" },
      { ...PLAN, page: {} },
    ],
  },
  "/access/v1/who-can": native(WHO, [{ action: "fs:ReadObject" }, { ...WHO, resource: 1 }]),
  "/access/v1/what-can": native(WHAT, [{ user: "alice" }, { ...WHAT, user: null }]),
};
