import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  openSession,
  type SessionCookieName,
  sealSession,
} from "../../../src/identity/session-cookies/sealed-cookie.ts";
import { GOLDEN, GOLDEN_KEY } from "./golden.ts";

const OTHER_KEY = Buffer.from("another-secret-key-of-32-bytes-or-more");
const SEALED = GOLDEN.filter(({ session, value }) => session !== undefined && value !== "");
const TOKEN = { key: "token", token: "a.b.c" } as const;

describe("the seal of a session cookie", () => {
  it.each(SEALED)("$name: as gorilla/sessions writes it", ({ cookie, session, value }) => {
    const opened = openSession(cookie, value, [OTHER_KEY, GOLDEN_KEY]);
    expect(opened?.value).toEqual(session);
    const { value: read, issuedAt } = opened ?? expect.unreachable();
    expect(sealSession(cookie, read, { key: GOLDEN_KEY, issuedAt })).toBe(value);
  });

  it("holds for no other key and no other cookie", () => {
    const names: SessionCookieName[] = ["internal_auth_session", "oidc_auth_session", "saml_auth_session"];
    for (const { cookie, value } of SEALED) {
      expect(openSession(cookie, value, [OTHER_KEY])).toBeUndefined();
      expect(openSession(cookie, value, [])).toBeUndefined();
      for (const name of names.filter((one) => one !== cookie)) {
        expect(openSession(name, value, [GOLDEN_KEY]), name).toBeUndefined();
      }
    }
  });

  it("holds for no text with a changed, missing or further character", () => {
    const sealed =
      sealSession("internal_auth_session", TOKEN, { key: GOLDEN_KEY, issuedAt: 1_700_000_000 }) ?? "";
    const opens = (text: string) => openSession("internal_auth_session", text, [GOLDEN_KEY]) !== undefined;
    expect(opens(sealed)).toBe(true);
    for (let at = 0; at < sealed.length; at++) {
      const changed = sealed[at] === "A" ? "B" : "A";
      expect(opens(sealed.slice(0, at) + changed + sealed.slice(at + 1)), String(at)).toBe(false);
      expect(opens(sealed.slice(0, at)), String(at)).toBe(false);
    }
    for (const more of ["=", "A", " ", "\n", "%3D"]) expect(opens(sealed + more), more).toBe(false);
    expect(opens(`"${sealed}"`)).toBe(false);
    expect(opens("")).toBe(false);
  });

  it("holds for a time in one form, and for a session that belongs into the cookie", () => {
    const [, gob = ""] = contentOf(
      sealSession("internal_auth_session", TOKEN, { key: GOLDEN_KEY, issuedAt: 1 }) ?? "",
    ).split("|");
    const opens = (content: string, name: SessionCookieName = "internal_auth_session") =>
      openSession(name, resealed(name, content), [GOLDEN_KEY]) !== undefined;
    expect(opens(`1700000000|${gob}|`)).toBe(true);
    for (const time of ["01", "0", "-1", "1.5", "", " 1", "9999999999999"]) {
      expect(opens(`${time}|${gob}|`), time).toBe(false);
    }
    for (const rest of [`${gob}`, `${gob}||`, `${gob}|x|`, `${gob.slice(1)}|`, "|"]) {
      expect(opens(`1700000000|${rest}`), rest).toBe(false);
    }
    expect(opens(`1700000000|${gob}|`, "oidc_auth_session")).toBe(false);
  });

  it("is not made for a session that no cookie has room for", () => {
    const token = "x".repeat(4_000);
    const session = { key: "token", token } as const;
    expect(sealSession("internal_auth_session", session, { key: GOLDEN_KEY, issuedAt: 1 })).toBeUndefined();
  });
});

function contentOf(sealed: string): string {
  return Buffer.from(sealed, "base64url").subarray(0, -32).toString("latin1");
}

/** A sound seal of any content. */
function resealed(name: string, content: string): string {
  const mac = createHmac("sha256", GOLDEN_KEY)
    .update(`${name}|${content.slice(0, -1)}`)
    .digest();
  const text = Buffer.concat([Buffer.from(content), mac]).toString("base64url");
  return text + "=".repeat((4 - (text.length % 4)) % 4);
}
