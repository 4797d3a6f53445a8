/** The access list of a group, where `auth.ui_config.rbac` is `simplified`. */

import type { AclWrite } from "@svc-authorizer/contract/management-api.gen.ts";
import { useState } from "preact/hooks";
import { ApiError } from "../../api/api-error.ts";
import { useAnswer, useChange } from "../../api/hooks.ts";
import { ConfirmDialog } from "../../parts/dialogs/confirm-dialog.tsx";
import { Dialog } from "../../parts/dialogs/dialog.tsx";
import { Section } from "../../parts/section.tsx";
import { Alert } from "../../parts/states/alert.tsx";
import { Warnings } from "../../parts/states/warnings.tsx";
import type { GroupSectionProps } from "./group-members.tsx";

type Permission = AclWrite["permission"];

/** Policies that are named before they are detached. */
const MOST_NAMED = 20;

const PERMISSIONS: readonly (readonly [Permission, string])[] = [
  ["Read", "read data, and manage one's own access keys"],
  ["Write", "read and write data, and manage one's own access keys"],
  ["Super", "everything with data, and one's own access keys"],
  ["Admin", "everything, users and groups too"],
];

/** Shows the access list and sets it. */
export function AccessList({ group, may }: GroupSectionProps) {
  const path = { groupId: group };
  const held = useAnswer("GET /auth/groups/{groupId}/policies", { path, query: { amount: MOST_NAMED } });
  const own = held.data?.results.map(({ id }) => id).filter((id) => id !== `ACL(_-_)${group}`) ?? [];
  const hasOwn = own.length > 0;
  const isAsked = held.data !== undefined && !hasOwn;
  const { data, error } = useAnswer("GET /auth/groups/{groupId}/acl", { path }, { enabled: isAsked });
  const change = useChange("POST /auth/groups/{groupId}/acl");
  const [wanted, setWanted] = useState<Permission>();
  // What it would detach is named before it is set, so it is not set while that is not known.
  const isKnown = held.data !== undefined && held.error === null;
  const hasNone = hasOwn || (error instanceof ApiError && error.status === 404);
  return (
    <Section title="Access list" about="One word for all that the members may do.">
      {hasNone ? (
        <p>The policies of this group are written by hand, so it has no access list.</p>
      ) : (
        <Alert error={held.error ?? error} />
      )}
      {data?.permission === "" && <p>The access list is empty: it allows nothing.</p>}
      <fieldset disabled={!isKnown || !may("auth:AttachPolicy")}>
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
        <SetAccessList
          {...{ group, wanted, own, change }}
          hasMore={held.data?.pagination.has_more === true}
          onClose={() => setWanted(undefined)}
        />
      )}
    </Section>
  );
}

interface SetAccessListProps {
  readonly group: string;
  readonly wanted: Permission;
  /** Names of policies that would be detached. */
  readonly own: readonly string[];
  /** True if there are more of them. */
  readonly hasMore: boolean;
  readonly change: ReturnType<typeof useChange<"POST /auth/groups/{groupId}/acl">>;
  readonly onClose: () => void;
}

/** Asks before an access list is set; by name where that detaches policies, which no single act attaches again. */
function SetAccessList({ group, wanted, own, hasMore, change, onClose }: SetAccessListProps) {
  const title = `Set the access list to ${wanted}?`;
  const set = () =>
    change.mutate({ path: { groupId: group }, body: { permission: wanted } }, { onSuccess: onClose });
  if (own.length > 0) {
    return (
      <ConfirmDialog
        {...{ title, onClose }}
        name={group}
        act="Set"
        isPending={change.isPending}
        error={change.error}
        onConfirm={set}
      >
        <p>It takes the place of all policies that are attached to this group:</p>
        <ul>
          {own.map((name) => (
            <li key={name}>
              <bdi>{name}</bdi>
            </li>
          ))}
          {hasMore && <li>and more</li>}
        </ul>
      </ConfirmDialog>
    );
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <p class="consequences">It takes the place of the access list that the group has now.</p>
      <Alert error={change.error} />
      <p class="buttons">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="danger" disabled={change.isPending} onClick={set}>
          Set
        </button>
      </p>
    </Dialog>
  );
}
