/** The real service with an issuer of tokens, and calls of its security token service. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { newKey, TestIssuer } from "../../identity/oidc/issuer.ts";
import { callTarget } from "../management/kit.ts";

/** Longest texts of elements, by name, of an answer without nesting of one name. */
interface StsAnswer {
  readonly status: number;
  readonly text: string;
  /** The text of the first element of a name; "" where there is none. */
  element(name: string): string;
}

/** A running service with its issuers. */
interface StsBed {
  readonly authorizer: TestAuthorizer;
  /** May name users of the directory. */
  readonly people: TestIssuer;
  /** Signs for everybody who asks, as a forge of programs does. */
  readonly forge: TestIssuer;
  /** Calls the service with a form; undefined leaves a parameter out. */
  call(form: Readonly<Record<string, string | undefined>>, path?: string): Promise<StsAnswer>;
  /** The events of the audit log so far. */
  audit(): readonly Record<string, unknown>[];
  close(): Promise<void>;
}

const DATASET = {
  format: 1,
  preconfigured: true,
  users: [
    { username: "alice", groups: ["Viewers"] },
    { username: "job", groups: ["Viewers"] },
    { username: "boss", groups: ["Admins"] },
  ],
} as unknown as DatasetDocument;

/** The user in a role. */
export const roleOf = (user: string): string => `arn:svc:auth:::user/${user}`;

/** Starts the service. */
export async function startSts(config: Record<string, unknown> = {}): Promise<StsBed> {
  const folder = mkdtempSync(join(tmpdir(), "sts-"));
  const audit = join(folder, "audit.jsonl");
  const people = await TestIssuer.start(await newKey("people"));
  const forge = await TestIssuer.start(await newKey("forge"));
  const authorizer = await startAuthorizer({
    dataset: DATASET,
    config: {
      "authorizer.audit.output": audit,
      "authorizer.sts.enabled": true,
      "authorizer.sts.users": [
        { issuer: "forge", claims: { sub: "repo:team/data", ref: "main" }, user: "job" },
      ],
      "authorizer.oidc.issuers": [
        { name: "people", issuer: people.url, audience: "authorizer", directory_users: true },
        { name: "forge", issuer: forge.url, audience: "authorizer" },
      ],
      ...config,
    } as never,
  });
  return {
    authorizer,
    people,
    forge,
    call: async (form, path = "/sts") => {
      const given = Object.entries(form).filter(([, value]) => value !== undefined) as [string, string][];
      const { status, text } = await callTarget(authorizer.userUrl, "POST", path, {
        body: new URLSearchParams(given).toString(),
        headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
      });
      return {
        status,
        text,
        element: (name) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ?? "",
      };
    },
    audit: () =>
      readFileSync(audit, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line)),
    close: async () => {
      await authorizer.close();
      await people.stop();
      await forge.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
