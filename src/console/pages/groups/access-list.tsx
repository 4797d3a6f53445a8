/** The access list of a group, where `auth.ui_config.rbac` is `simplified`. */

import { useState } from "preact/hooks";
import { ApiError } from "../../api/api-error.ts";
import { useAnswer, useChange } from "../../api/hooks.ts";
import type { AclWrite } from "../../api/management.gen.ts";
import { Dialog } from "../../parts/dialogs/dialog.tsx";
import { Section } from "../../parts/section.tsx";
import { Alert } from "../../parts/states/alert.tsx";
import { Warnings } from "../../parts/states/warnings.tsx";
import type { GroupSectionProps } from "./group-members.tsx";

type Permission = AclWrite["permission"];

const PERMISSIONS: readonly (readonly [Permission, string])[] = [
  ["Read", "read data, and manage one's own access keys"],
  ["Write", "read and write data, and manage one's own access keys"],
  ["Super", "everything with data, and one's own access keys"],
  ["Admin", "everything, users and groups too"],
];

/** Shows the access list and sets it. */
export function AccessList({ group, may }: GroupSectionProps) {
  const path = { groupId: group };
  const held = useAnswer("GET /auth/groups/{groupId}/policies", { path, query: { amount: 2 } });
  const hasOwn = held.data?.results.some(({ id }) => id !== `ACL(_-_)${group}`) === true;
  const isAsked = held.data !== undefined && !hasOwn;
  const { data, error } = useAnswer("GET /auth/groups/{groupId}/acl", { path }, { enabled: isAsked });
  const change = useChange("POST /auth/groups/{groupId}/acl");
  const [wanted, setWanted] = useState<Permission>();
  const hasNone = hasOwn || (error instanceof ApiError && error.status === 404);
  return (
    <Section title="Access list" about="One word for all that the members may do.">
      {hasNone ? (
        <p>The policies of this group are written by hand, so it has no access list.</p>
      ) : (
        <Alert error={error} />
      )}
      {data?.permission === "" && <p>The access list is empty: it allows nothing.</p>}
      <fieldset disabled={!may("auth:AttachPolicy")}>
        <legend class="for-readers">Access of the members</legend>
        {PERMISSIONS.map(([permission, meaning]) => (
          <label key={permission} class="check">
            <input
              type="radio"
              name="access-list"
              checked={data?.permission === permission}
              onChange={() => setWanted(permission)}
            />
            <strong>{permission}</strong> {meaning}
          </label>
        ))}
      </fieldset>
      <Warnings texts={change.data?.warnings ?? []} />
      {wanted !== undefined && (
        <Dialog title={`Set the access list to ${wanted}?`} onClose={() => setWanted(undefined)}>
          <p class="consequences">It takes the place of all policies that are attached to this group.</p>
          <Alert error={change.error} />
          <p class="buttons">
            <button type="button" onClick={() => setWanted(undefined)}>
              Cancel
            </button>
            <button
              type="button"
              class="danger"
              disabled={change.isPending}
              onClick={() =>
                change.mutate(
                  { path, body: { permission: wanted } },
                  { onSuccess: () => setWanted(undefined) },
                )
              }
            >
              Set
            </button>
          </p>
        </Dialog>
      )}
    </Section>
  );
}
