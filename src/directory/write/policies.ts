/** Use cases on policies. */

import { alreadyExists, assertNoProblems, assertPossible } from "../checks.ts";
import { type DirectoryContext, read } from "../context.ts";
import type { Page, PageRequest, Policies } from "../directory.ts";
import type { NewPolicy } from "../new-entities.ts";
import { EMPTY_PAGE, rangeOf, readPage } from "../read/pages.ts";
import { listPolicyHolders } from "../read/policy-holders.ts";
import { toGroup } from "../records/group-records.ts";
import type { RecordTypes } from "../records/layout.ts";
import {
  policyRecord,
  putPolicy,
  removePolicy,
  requirePolicy,
  requireSamePolicy,
  toPolicy,
} from "../records/policy-records.ts";
import { toUser } from "../records/user-records.ts";
import { newPolicyProblems, readServices } from "./policy-rules.ts";
import type { Transaction } from "./transaction.ts";

/** The use cases on policies of a directory. */
export function createPolicies(context: DirectoryContext): Policies {
  const { writer, rules, now } = context;
  const check = async (tx: Transaction, policy: NewPolicy): Promise<void> => {
    assertNoProblems(newPolicyProblems(policy, rules, await readServices(tx, rules)));
  };
  return {
    async create(policy) {
      const { name } = policy;
      return writer.write(async (tx) => {
        await check(tx, policy);
        if ((await tx.get("policy", name)) !== undefined) throw alreadyExists("policy", name);
        const head = { id: context.generateId(), creation_date: now(), managed: false };
        const record = policyRecord(policy, head);
        putPolicy(tx, name, record);
        return toPolicy(name, record);
      });
    },

    get: (name) => read(context, async (reader) => toPolicy(name, await requirePolicy(reader, name))),

    async list(page) {
      const range = rangeOf(page);
      if (range === undefined) return EMPTY_PAGE;
      return read(context, (reader) =>
        readPage(reader, range, {
          partition: "policy",
          base: "",
          items: (found, names) => found.map(({ record }, index) => toPolicy(names[index]!, record)),
        }),
      );
    },

    async update(policy, expected, partial) {
      assertPossible("policy", policy.name);
      return writer.write(async (tx) => {
        await check(tx, policy);
        const { id, managed } = await requireSamePolicy(tx, policy.name, expected);
        const head = { id, creation_date: now(), managed: managed === true };
        const record = policyRecord(policy, head, partial);
        putPolicy(tx, policy.name, record);
        return toPolicy(policy.name, record);
      });
    },

    async delete(name) {
      await writer.write(async (tx) => removePolicy(tx, name, await requirePolicy(tx, name)));
      context.wakeMaintenance();
    },

    users: (name, page) => pageOfHolders(context, name, page, "user", toUser),
    groups: (name, page) => pageOfHolders(context, name, page, "group", toGroup),
  };
}

async function pageOfHolders<K extends "user" | "group", T>(
  context: DirectoryContext,
  name: string,
  page: PageRequest,
  kind: K,
  make: (name: string, record: RecordTypes[K]) => T,
): Promise<Page<T>> {
  const range = rangeOf(page);
  return read(context, async (reader) => {
    const { id } = await requirePolicy(reader, name);
    return range === undefined ? EMPTY_PAGE : listPolicyHolders(reader, id, kind, range, make);
  });
}
