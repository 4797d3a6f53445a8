/** Sessions as gorilla/sessions and Go's gob wrote them (fixtures/session-cookies). */

import type { SessionValue } from "../../../src/identity/session-cookies/gob.ts";
import type { SessionCookieName } from "../../../src/identity/session-cookies/sealed-cookie.ts";
import { readFixture } from "../../read-fixture.ts";

interface GoldenFile {
  readonly secret: string;
  readonly cases: readonly {
    readonly name: string;
    readonly cookie: SessionCookieName;
    readonly key: SessionValue["key"];
    readonly text?: string;
    readonly claims?: Readonly<Record<string, string>>;
    readonly readable: boolean;
    /** Base64 of the bytes. */
    readonly gob: string;
    /** The value of the cookie; absent or empty: Go makes none. */
    readonly value?: string;
  }[];
}

const file = readFixture<GoldenFile>("session-cookies/gorilla-sessions.json");

/** The key of all seals. */
export const GOLDEN_KEY = Buffer.from(file.secret);

/** Every session; `session` is undefined for one that is not read. */
export const GOLDEN = file.cases.map(
  ({ name, cookie, key, text = "", claims, readable, gob, value = "" }) => {
    const session: SessionValue | undefined = !readable
      ? undefined
      : key === "token"
        ? { key, token: text }
        : { key, claims: new Map(Object.entries(claims ?? {})) };
    return { name, cookie, session, bytes: Buffer.from(gob, "base64"), value };
  },
);
