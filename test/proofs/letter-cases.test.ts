/**
 * Two processes on one database make users of one name in different letter cases at once, as identity providers do: one of
 * them is made, and the others are refused (spec/scim §3). The commit decides it, whichever nodes were asked.
 */

import { afterEach, describe, expect, it } from "vitest";
import { cleanUp, newFolder, type RunningProgram, start, writeConfig } from "../end-to-end/program.ts";
import { DATABASES } from "./databases.ts";
import { report, sized } from "./size.ts";

const TOKEN = "a-token-that-only-this-proof-knows-0123456789";
const NAMES = sized(8, 600);
/** Names that are made at once, each in all spellings. */
const AT_ONCE = 8;

const SPELLINGS: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => name.replace(/^./, (first) => first.toUpperCase()),
  (name) => name.replace(/@.*$/, (domain) => domain.toUpperCase()),
];

function startNode(items: object): Promise<RunningProgram> {
  const folder = newFolder();
  const config = writeConfig(folder, {
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "auth.encrypt.secret_key": "a-secret-key-that-only-this-proof-knows-0123456789",
    "auth.api.token": TOKEN,
    "logging.level": "ERROR",
    "logging.audit_log_level": "NONE",
    ...items,
  });
  return start(["--config", config], folder);
}

async function scim({ service }: RunningProgram, method: string, path: string, body?: object) {
  const answer = await fetch(`${service}/scim/v2${path}`, {
    method,
    headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

const create = (node: RunningProgram, userName: string) =>
  scim(node, "POST", "/Users", { schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"], userName });

/** Names in the directory that are one name in some spelling. */
async function found(node: RunningProgram, name: string): Promise<readonly string[]> {
  const filter = encodeURIComponent(`userName eq "${name}"`);
  const { text } = await scim(node, "GET", `/Users?filter=${filter}`);
  const { Resources = [] } = JSON.parse(text) as { Resources?: readonly { readonly userName: string }[] };
  return Resources.map(({ userName }) => userName);
}

describe.each(DATABASES)("proof: letter cases on %s", (engine, isThere, open) => {
  let close: () => Promise<void> = async () => {};
  afterEach(async () => {
    cleanUp();
    await close();
  });

  it.skipIf(!isThere)(
    "of users that two nodes make at once, whose names differ in letter case only, one is made",
    async () => {
      const database = await open();
      close = () => database.close();
      const nodes = await Promise.all([1, 2].map(() => startNode(database.items(database.port))));
      const [one, other] = nodes as [RunningProgram, RunningProgram];
      const firsts = [0, 0, 0, 0];
      const race = async (index: number): Promise<void> => {
        const name = `leaver-${index}@x.io`;
        const answers = await Promise.all(
          SPELLINGS.map((spelled, at) => create((index + at) % 2 === 0 ? one : other, spelled(name))),
        );
        const statuses = answers.map(({ status }) => status);
        expect([name, ...statuses.toSorted()]).toEqual([name, 201, 409, 409, 409]);
        firsts[statuses.indexOf(201)]! += 1;
        const made = SPELLINGS[statuses.indexOf(201)]!(name);
        for (const node of nodes) {
          // A node that has not followed yet asks for the next entry; a mutation without effect makes it follow.
          expect((await create(node, name)).status).toBe(409);
          expect(await found(node, name.toUpperCase())).toEqual([made]);
        }
      };
      for (let index = 0; index < NAMES; index += AT_ONCE)
        await Promise.all(
          Array.from({ length: Math.min(AT_ONCE, NAMES - index) }, (_, at) => race(index + at)),
        );
      const { text } = await scim(one, "GET", "/Users?count=1");
      expect(JSON.parse(text)).toMatchObject({ totalResults: NAMES });
      report(
        `${engine}: ${NAMES} names in ${SPELLINGS.length} spellings, one of each made; by spelling ${firsts}`,
      );
    },
    sized(180_000, 1_800_000),
  );
});
