import { describe, expect, it } from "vitest";
import { painted, unpainted } from "./painted.ts";
import { replay } from "./replay-server.ts";
import { svcctl } from "./run-svcctl.ts";

const CAN = [
  "auth",
  "can",
  "--user",
  "bob",
  "--action",
  "fs:ReadObject",
  "--resource",
  "arn:svc:fs:::repository/r/object/x",
];
const MESSAGE = "insufficient permissions: not allowed to fs:ReadObject";
/** The answer to the question whether the question can have an answer, which comes first. */
const JUDGED = { status: 200, body: { doubts: [] } };
const ALLOWED = { status: 200, body: { allowed: true, effect: "allow" } };
const REFUSED = { status: 200, body: { allowed: false, effect: "neutral", message: MESSAGE } };

describe("svcctl auth can", () => {
  it("says yes with exit code 0", async () => {
    const server = await replay([JUDGED, ALLOWED]);
    expect(await svcctl(CAN, { env: server.env, terminal: true })).toEqual({
      code: 0,
      stdout: painted("[green:Allowed]: bob may fs:ReadObject on arn:svc:fs:::repository/r/object/x\n"),
      stderr: "",
    });
    expect(server.asked).toMatchObject([
      { line: "POST /api/v1/auth/question" },
      {
        line: "POST /api/v1/auth/check",
        body: {
          user: "bob",
          required: { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/r/object/x" },
        },
      },
    ]);
    expect(server.asked[1]?.body).not.toHaveProperty("explain");
  });

  it("says no and why with exit code 3", async () => {
    const { env } = await replay([JUDGED, REFUSED]);
    expect(await svcctl(CAN, { env })).toEqual({
      code: 3,
      stdout: `Refused: bob may not fs:ReadObject on arn:svc:fs:::repository/r/object/x\n${MESSAGE}\n`,
      stderr: "",
    });
  });

  it("warns that a server which judges no questions may know more", async () => {
    const { env } = await replay([{ status: 404, body: { message: "not found" } }, ALLOWED]);
    const { code, stderr } = await svcctl(CAN, { env });
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining("judged by the catalog of this svcctl alone"),
    ]);
  });

  it("says so when there is no such user", async () => {
    const { env } = await replay([
      JUDGED,
      { status: 200, body: { allowed: false, effect: "neutral", reason: "unknown_user", message: MESSAGE } },
    ]);
    expect((await svcctl(CAN, { env })).stdout).toMatch(/\nthere is no such user\n$/);
  });

  it("asks about the current user where none is named", async () => {
    const server = await replay([JUDGED, { status: 200, body: { user: { id: "carol" } } }, ALLOWED]);
    await svcctl(["auth", "can", ...CAN.slice(4)], { env: server.env });
    expect(server.asked.map(({ line }) => line)).toEqual([
      "POST /api/v1/auth/question",
      "GET /api/v1/user",
      "POST /api/v1/auth/check",
    ]);
    expect(server.asked[2]?.body).toMatchObject({ user: "carol" });
  });

  it("sends condition fields, several values of one, whatever its name", async () => {
    const server = await replay([JUDGED, ALLOWED]);
    const context = ["SourceIp=10.0.0.1", "tag=a", "tag=b=c", "__proto__=x"];
    await svcctl([...CAN, ...context.flatMap((one) => ["--context", one])], { env: server.env });
    const { context: sent } = server.asked[1]!.body as { context: unknown };
    expect(JSON.stringify(sent)).toBe('{"SourceIp":"10.0.0.1","tag":["a","b=c"],"__proto__":"x"}');
  });

  it.each(["novalue", "=x"])("refuses --context %s", async (value) => {
    const { code, stderr } = await svcctl([...CAN, "--context", value]);
    expect(code).toBe(1);
    expect(stderr).toBe(`Error: invalid argument "${value}" for "--context" flag: expected field=value\n`);
  });

  it("fails with exit code 1 when there is no answer to be had", async () => {
    const refused = await replay([
      JUDGED,
      { status: 401, body: { message: "error authenticating request" } },
    ]);
    expect(await svcctl(CAN, { env: refused.env })).toMatchObject({ code: 1, stdout: "" });
    const odd = await replay([JUDGED, { status: 200, body: { effect: "allow" } }]);
    expect(await svcctl(CAN, { env: odd.env })).toMatchObject({ code: 1, stdout: "" });
  });

  it("prints the answer itself with --json", async () => {
    const { env } = await replay([JUDGED, REFUSED]);
    const { code, stdout } = await svcctl([...CAN, "--json"], { env });
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toEqual(REFUSED.body);
  });
});

const EXPLANATION = {
  id: "d-1",
  effect: "deny",
  tree: {
    effect: "deny",
    and: [
      { effect: "allow", action: "fs:ReadObject", resource: "arn:svc:fs:::repository/r/object/x" },
      {
        or: [
          { effect: "deny", any_resource: { action: "fs:List*" } },
          { action: "a:b", resource: "c" },
        ],
      },
    ],
  },
  determining: [
    {
      policy: "NoLists",
      statement: 2,
      effect: "deny",
      action: "fs:List*",
      resource: "*",
      via: [{ user: "bob" }, { group: "Guests" }],
    },
  ],
  near_misses: [{ policy: "Data", statement: 0, why: "condition", detail: "SourceIp is missing" }],
};

const TREE = `
[bold:Required]
└─ [red:deny] all of
   ├─ [green:allow] fs:ReadObject on arn:svc:fs:::repository/r/object/x
   └─ [yellow:not looked at] one of
      ├─ [red:deny] fs:List* on any resource
      └─ [yellow:not looked at] a:b on c
[bold:Decided by]
└─ [red:deny] fs:List* on * (policy NoLists, statement 2)
   ├─ attached to the user
   └─ through the group Guests
[bold:Nearly allowed]
└─ policy Data, statement 0: condition differs: SourceIp is missing
Decision d-1
`;

describe("svcctl auth can --explain", () => {
  it.each([true, false])("draws the trees (terminal: %s)", async (terminal) => {
    const body = { allowed: false, effect: "deny", message: MESSAGE, explanation: EXPLANATION };
    const server = await replay([JUDGED, { status: 200, body }]);
    const { code, stdout } = await svcctl([...CAN, "--explain"], { env: server.env, terminal });
    expect(code).toBe(3);
    expect(stdout.slice(stdout.indexOf(MESSAGE) + MESSAGE.length + 1)).toBe(
      (terminal ? painted : unpainted)(TREE),
    );
    expect(server.asked[1]?.body).toMatchObject({ explain: true });
  });

  it("leaves out what the server leaves out", async () => {
    const body = { allowed: false, effect: "neutral", explanation: { id: "d-2", determining: null } };
    const { env } = await replay([JUDGED, { status: 200, body }]);
    expect((await svcctl([...CAN, "--explain"], { env })).stdout).toMatch(
      /on arn:svc:fs:::repository\/r\/object\/x\n\nDecision d-2\n$/,
    );
  });
});
