/** Each way to sign in with each thing that can be shown (spec/sign-in §8), through HTTP, with real parts. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hasSlapd } from "../slapd.ts";
import { type Bed, startBed } from "./bed.ts";
import { device, openIdConnect, stsLogin } from "./browser-ways.ts";
import type { Cases } from "./calls.ts";
import { sessionCookies } from "./cookie-ways.ts";
import { accessKeys, ldap, passwords, remoteClient, remoteServer } from "./password-ways.ts";
import { awsIam, bearer, forwardedPrincipal, tokenExchange, webIdentity } from "./program-ways.ts";
import { COLUMNS, readTable, rowsOf } from "./table.ts";

const WAYS: Readonly<Record<string, (bed: Bed) => Cases>> = {
  "OpenID Connect in a browser": openIdConnect,
  "svcctl login": device,
  "token exchange": tokenExchange,
  AssumeRoleWithWebIdentity: webIdentity,
  "tokens at the proxy": bearer,
  "AWS IAM": awsIam,
  "AWS IAM, forwarded": forwardedPrincipal,
  "codes, forwarded": stsLogin,
  passwords,
  "passwords, forwarded": remoteServer,
  "remote authenticator": remoteClient,
  LDAP: ldap,
  "access keys": accessKeys,
  "session cookies of a data server": sessionCookies,
};

const table = readTable();
let bed: Bed;
beforeAll(async () => {
  bed = await startBed();
});
afterAll(() => bed?.close());
beforeEach(() => bed.reset());

type Event = Readonly<Record<string, unknown>>;

/** Events that say that somebody came in or did not. */
const OUTCOMES: readonly unknown[] = ["login", "authentication_failed", "write", "decision"];

describe.each(table)("$way", (way) => {
  const needsSlapd = way.way === "LDAP";
  it.skipIf(needsSlapd && !hasSlapd).each(rowsOf(way))("$column: $show", async (row) => {
    const cases = WAYS[way.way]?.(bed) ?? {};
    const before = bed.audit().length;
    const { status, text, user, secrets } = await (cases[row.show] as Cases[string])();
    expect({ status, user, text }).toEqual({
      status: row.status,
      user: row.user,
      text: expect.stringContaining(row.says ?? ""),
    });
    const events = () =>
      bed
        .audit()
        .slice(before)
        .map((line) => JSON.parse(line) as Event)
        .filter(({ event }) => OUTCOMES.includes(event));
    if (row.record === "none") expect(events()).toEqual([]);
    else await expect.poll(events).toContainEqual(expect.objectContaining({ ...way.record, ...row.record }));
    const lines = bed.audit().slice(before).join("\n");
    for (const secret of secrets.filter((one) => one !== "")) expect(lines).not.toContain(secret);
  });
});

describe("the table", () => {
  it("has every way, and each of its cases once", () => {
    expect(table.map(({ way }) => way)).toEqual(Object.keys(WAYS));
    for (const way of table) {
      const shown = rowsOf(way).map(({ show }) => show);
      expect({ way: way.way, shown: shown.toSorted() }).toEqual({
        way: way.way,
        shown: Object.keys(WAYS[way.way]?.(bed) ?? {}).toSorted(),
      });
    }
  });

  it("is refused where a way lacks a column, or a cell says nothing", () => {
    const cells = Object.fromEntries(COLUMNS.map((column) => [column, [{ show: "x" }]]));
    const read = (more: object) =>
      readTable(JSON.stringify({ ways: [{ way: "x", record: {}, cells: { ...cells, ...more } }] }));
    expect(read({})).toHaveLength(1);
    for (const column of COLUMNS) {
      expect(() => read({ [column]: undefined }), column).toThrow(`${column} is missing`);
      expect(() => read({ [column]: [] })).toThrow("no case and no reason");
      expect(() => read({ [column]: { does_not_apply: "" } })).toThrow("no case and no reason");
    }
    expect(() => read({ another: [] })).toThrow("no column another");
  });
});
