/** `svcctl abuse link-same-object`, `list`, `random-delete`, `random-read` and `random-write`. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { type ApiClient, openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { given } from "../given.ts";
import { say } from "../local/compare/compare-folder.ts";
import { textField } from "../output/fields.ts";
import type { SvcUri } from "../uri/svc-uri.ts";
import { announce, uriArgument } from "../uri/uri-argument.ts";
import { numbered, randomLines } from "./inputs.ts";
import { runLoad } from "./load-run.ts";

/** Checksum of the objects that are linked: nothing is uploaded for them. */
const CHECKSUM = "00695c7307b0480c7b6bdc873cf05c15";

export async function linkSameObject(call: CommandCall): Promise<void> {
  const uri = uriArgument(call, 0, "branch URI", "branch");
  announce(call, "Source ref", uri);
  const key = given(call, "key");
  say(call, `Object key: ${safeText(key)}\n`);
  await linkAll(
    call,
    uri,
    "get-and-link",
    numbered(call, () => key),
  );
}

export async function writeMany(call: CommandCall): Promise<void> {
  const uri = uriArgument(call, 0, "branch URI", "branch");
  announce(call, "Source branch", uri);
  const prefix = given(call, "prefix");
  await linkAll(
    call,
    uri,
    "stage object",
    numbered(call, (number) => `${prefix}file-${number - 1}`),
  );
}

export async function listRepeatedly(call: CommandCall): Promise<void> {
  const { repository, ref } = uriArgument(call, 0, "source ref URI", "ref");
  const api = openApi(call.context);
  const path = ["repositories", repository, "refs", ref, "objects", "ls"];
  const query = { prefix: given(call, "prefix") };
  await load(call, "list", numbered(call, String), async () => {
    await api.fetchObject({ method: "GET", path, query, expect: 200 });
  });
}

export async function readAtRandom(call: CommandCall): Promise<void> {
  const uri = uriArgument(call, 0, "source ref URI", "ref");
  announce(call, "Source ref", uri);
  const api = openApi(call.context);
  const path = ["repositories", uri.repository, "refs", uri.ref, "objects", "stat"];
  await load(call, "read", await randomLines(call), async (key) => {
    await api.fetchObject({ method: "GET", path, query: { path: key }, expect: 200 });
  });
}

export async function deleteAtRandom(call: CommandCall): Promise<void> {
  const uri = uriArgument(call, 0, "source ref URI", "ref");
  announce(call, "Source ref", uri);
  const api = openApi(call.context);
  const path = ["repositories", uri.repository, "branches", uri.ref, "objects"];
  await load(call, "delete", await randomLines(call), async (key) => {
    await api.perform({ method: "DELETE", path, query: { path: key }, expect: 204 });
  });
}

async function linkAll(
  call: CommandCall,
  uri: SvcUri,
  name: string,
  inputs: Iterable<string>,
): Promise<void> {
  const api = openApi(call.context);
  await load(call, name, inputs, (path) => linkEmpty(api, { ...uri, path }, CHECKSUM));
}

/** Links a place of the storage to which nothing was uploaded: only the server's own work is wanted. */
export async function linkEmpty(
  api: ApiClient,
  { repository, ref, path = "" }: SvcUri,
  checksum: string,
): Promise<void> {
  const backing = ["repositories", repository, "branches", ref, "staging", "backing"];
  const query = { path };
  const place = await api.fetchObject({ method: "GET", path: backing, query, expect: 200 });
  const staging = { physical_address: textField(place, "physical_address") };
  const body = { checksum, size_bytes: 0, staging };
  await api.fetchObject({ method: "PUT", path: backing, query, body, expect: 200 });
}

function load(
  call: CommandCall,
  name: string,
  inputs: Iterable<string>,
  work: (input: string) => Promise<void>,
): Promise<void> {
  return runLoad(call, { name, parallelism: Number(call.options["parallelism"]), inputs, work });
}
