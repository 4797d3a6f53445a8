/** The real service with a few people, and ways to call its user listener as each of them. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import type { ConfigObject } from "../../../src/config/load.ts";
import { type CallOptions, call } from "../../http/call.ts";
import { expectDocumented } from "./documented.ts";

export interface Key {
  readonly access_key_id: string;
  readonly secret_access_key: string;
}

function keyOf(letter: string): Key {
  return {
    access_key_id: `AKIAJ${letter.repeat(14)}Q`,
    secret_access_key: `${letter.toLowerCase()}-secret-of-the-tests`.padEnd(40, "x"),
  };
}

/** Keys of the people: `manager` manages everybody and reads; `plain` holds nothing. */
export const KEYS = {
  admin: keyOf("A"),
  viewer: keyOf("V"),
  manager: keyOf("M"),
  plain: keyOf("P"),
} as const;

export type Person = keyof typeof KEYS;

const allow = (action: readonly string[], resource = "*") => ({ effect: "allow" as const, action, resource });

export const DATASET = {
  format: 1,
  preconfigured: true,
  users: [
    { username: "admin", groups: ["Admins"], credentials: [KEYS.admin] },
    { username: "viewer", groups: ["Viewers"], credentials: [KEYS.viewer] },
    { username: "manager", policies: ["Manages", "Reads"], credentials: [KEYS.manager] },
    { username: "plain", credentials: [KEYS.plain] },
    { username: "target", policies: ["Reads"] },
  ],
  groups: [
    { name: "Readers", policies: ["Reads"] },
    { name: "Writers", policies: ["Writes"] },
  ],
  policies: [
    { name: "Manages", statement: [allow(["auth:*"])] },
    { name: "Reads", statement: [allow(["fs:Read*"])] },
    { name: "Writes", statement: [allow(["fs:Write*"])] },
  ],
} as unknown as DatasetDocument;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined without one. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly json: any;
}

export interface Management {
  readonly authorizer: TestAuthorizer;
  /** Calls a path below `/api/v1` as a person, with a bearer token, or as nobody. */
  call(
    who: Person | Key | { readonly token: string } | undefined,
    method: string,
    path: string,
    options?: CallOptions,
  ): Promise<Answer>;
  /** The events of the audit log so far. */
  audit(): readonly Record<string, unknown>[];
  close(): Promise<void>;
}

export function basic({ access_key_id, secret_access_key }: Key): string {
  return `Basic ${Buffer.from(`${access_key_id}:${secret_access_key}`).toString("base64")}`;
}

function authorizationOf(who: Person | Key | { readonly token: string } | undefined): Record<string, string> {
  if (who === undefined) return {};
  if (typeof who === "string") return { authorization: basic(KEYS[who]) };
  return { authorization: "token" in who ? `Bearer ${who.token}` : basic(who) };
}

/** Calls a target of a listener; the answer must be one that the document has. */
export async function callTarget(
  url: string,
  method: string,
  target: string,
  options: CallOptions = {},
): Promise<Answer> {
  const { body: json, ...answer } = await call(url, method, target, options);
  expectDocumented(method, target, answer);
  return { ...answer, json };
}

export async function startManagement(
  config: ConfigObject = {},
  dataset: DatasetDocument = DATASET,
): Promise<Management> {
  const folder = mkdtempSync(join(tmpdir(), "management-"));
  const audit = join(folder, "audit.jsonl");
  const authorizer = await startAuthorizer({
    dataset,
    config: { "authorizer.audit.output": audit, ...config },
  });
  return {
    authorizer,
    call: (who, method, path, { headers, ...options } = {}) =>
      callTarget(authorizer.userUrl, method, `/api/v1${path}`, {
        ...options,
        headers: { ...authorizationOf(who), ...headers },
      }),
    audit: () =>
      readFileSync(audit, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line)),
    close: async () => {
      await authorizer.close();
      rmSync(folder, { recursive: true });
    },
  };
}
