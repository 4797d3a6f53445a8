/** Options that a server of version 0.2, or a data server's own API, leaves out: no command goes on as if it had them. */

import { expect, it } from "vitest";
import { type Answer, replay } from "./replay-server.ts";
import { svcctl } from "./run-svcctl.ts";

const page = (results: object[], more = false): Answer => ({
  status: 200,
  body: {
    pagination: { has_more: more, next_offset: more ? "z" : "", results: results.length, max_per_page: 1000 },
    results,
  },
});
const KEY = { access_key_id: "AKIAJEXAMPLEEXAMPLEQ", creation_date: 1682935200 };

async function run(line: string, ...answers: Answer[]) {
  const server = await replay(answers);
  const finished = await svcctl(line.split(" "), { env: server.env });
  return { ...finished, asked: server.asked.map((one) => one.line.replace(" /api/v1", " ")) };
}

it.each([
  "users list",
  "groups list",
  "policies list",
  "users policies list --id u",
  "users groups list --id u",
  "groups members list --id g",
])("auth %s --search prints no list that was not searched", async (list) => {
  for (const more of ["", " --json", " --all"]) {
    const everything = page([
      { id: "alice", name: "alice" },
      { id: "bob", name: "bob" },
    ]);
    const { code, stdout, stderr } = await run(`auth ${list} --search LI${more}`, everything);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("the server does not know --search: it lists everything\n");
  }
});

it("a search finds what the service finds", async () => {
  const found = page([
    { id: "ΔΗΜΟΣΘΕΝΗΣ", creation_date: 1 },
    { id: "u1", friendly_name: "Δημοσθένης Δημοσ", creation_date: 1 },
    { id: "u2", email: "ΔΗΜΟΣ@example.com", creation_date: 1 },
  ]);
  const { code, stdout, stderr } = await run("auth users list --search ΔΗΜΟΣ", found);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.match(/^\S+/gm)).toEqual(["ΔΗΜΟΣΘΕΝΗΣ", "u1", "u2"]);
  expect((await run("auth users list --search x", page([]))).code).toBe(0);
});

it.each([
  ["users list", { id: "alice", creation_date: 1 }],
  ["users credentials list --id u", KEY],
])("auth %s --last-used prints no use that nobody counted", async (list, entry) => {
  const { code, stdout, stderr } = await run(`auth ${list} --last-used`, page([entry]));
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("the server does not count use, so it does not know --last-used\n");
  const counted = await run(`auth ${list} --last-used`, page([{ ...entry, uses: 0, uses_since: 1 }]));
  expect([counted.code, counted.stderr]).toEqual([0, ""]);
});

it("an access key without the term that was asked for is deleted again", async () => {
  const made: Answer = { status: 201, body: { ...KEY, secret_access_key: "s3cr3t" } };
  const line = "auth users credentials create --id u --expires-in 1h";
  const { code, stdout, stderr, asked } = await run(line, made, { status: 204 });
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("the server knows no terms of access keys: the key was deleted again\n");
  expect(asked).toEqual([
    "POST /auth/users/u/credentials?expires_in=3600",
    "DELETE /auth/users/u/credentials/AKIAJEXAMPLEEXAMPLEQ",
  ]);
  const kept = await run(line, made, { status: 401, body: { message: "not allowed" } });
  expect([kept.code, kept.stdout]).toEqual([1, ""]);
  expect(kept.stderr).toMatch(
    /AKIAJEXAMPLEEXAMPLEQ, which does not expire, could not be deleted \(.*not allowed/,
  );
});
