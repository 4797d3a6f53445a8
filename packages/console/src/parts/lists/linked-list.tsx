/** A section with what is linked to something, such as the members of a group: listed, added by name, and removed. */

import type { Operations, PolicyCompareRequest } from "@svc-authorizer/contract/management-api.gen.ts";
import type { ComponentChildren } from "preact";
import type { Input } from "../../api/call.ts";
import { useChange } from "../../api/hooks.ts";
import { useSession } from "../../frame/session.tsx";
import { RemoveButton } from "../dialogs/remove-button.tsx";
import { Section } from "../section.tsx";
import { AddByName } from "./add-by-name.tsx";
import { type ListOperation, ListTable, type ListTableProps, type RowOf } from "./list-table.tsx";
import type { NameList } from "./use-name-choices.ts";

/** Paths of links, which are made with PUT and removed with DELETE. */
type Link =
  | "/auth/groups/{groupId}/members/{userId}"
  | "/auth/users/{userId}/policies/{policyId}"
  | "/auth/groups/{groupId}/policies/{policyId}";

/** The action that a list of names needs. */
const ACTIONS: Readonly<Record<NameList, string>> = {
  "GET /auth/users": "auth:ListUsers",
  "GET /auth/groups": "auth:ListGroups",
  "GET /auth/policies": "auth:ListPolicies",
};

/** Removal of a link; absent where the person may not do it. */
interface Removal {
  /** Text of the button. */
  readonly label: "Remove" | "Detach";
  /** Says what is removed from what. */
  readonly nameOf: (id: string) => string;
  readonly questionOf: (id: string) => ComponentChildren;
  /** False for what is listed and not linked itself. */
  readonly isLinked?: (id: string) => boolean;
}

/** Addition of a link; absent where the person may not do it. */
interface Addition {
  readonly label: string;
  /** Text of the button. */
  readonly act: string;
  /** The names to choose from. */
  readonly names: NameList;
  readonly compare?: ((name: string) => PolicyCompareRequest) | undefined;
  readonly compareAs?: string;
}

/** Properties of {@link LinkedList}. */
interface LinkedListProps<O extends ListOperation, L extends Link>
  extends Pick<ListTableProps<O>, "operation" | "input" | "what" | "columns" | "empty"> {
  readonly title: string;
  readonly about?: string;
  readonly link: L;
  /** The path of the link to the thing with a name. */
  readonly pathTo: (id: string) => Operations[`PUT ${L}`]["path"];
  readonly removal: Removal | false;
  readonly addition: Addition | false;
}

/** The section. */
export function LinkedList<O extends ListOperation, L extends Link>(props: LinkedListProps<O, L>) {
  const { title, about, link, pathTo, removal, addition, columns, what, ...list } = props;
  const { actions } = useSession();
  const change = useChange(`PUT ${link}`);
  const inputOf = (id: string) => ({ path: pathTo(id) }) as unknown as Input<`PUT ${L}`>;
  const idOf = (row: RowOf<O>): string => (row as { readonly id: string }).id;
  const remove = ({ label, nameOf, questionOf, isLinked }: Removal) => ({
    head: label,
    kind: "act" as const,
    cell: (row: RowOf<O>) => {
      const id = idOf(row);
      if (isLinked?.(id) === false) return null;
      const input = inputOf(id) as unknown as Input<`DELETE ${L}`>;
      const question = questionOf(id);
      return (
        <RemoveButton
          operation={`DELETE ${link}`}
          input={input}
          label={label}
          name={nameOf(id)}
          question={question}
        />
      );
    },
  });
  return (
    <Section title={title} {...(about === undefined ? {} : { about })}>
      <ListTable
        {...list}
        what={what}
        name={what}
        columns={removal === false ? columns : [...columns, remove(removal)]}
        keyOf={idOf}
      />
      {addition !== false && (
        <AddByName
          {...addition}
          list={actions.has(ACTIONS[addition.names]) ? addition.names : undefined}
          change={change}
          onAdd={(id, done) => change.mutate(inputOf(id), { onSuccess: done })}
        />
      )}
    </Section>
  );
}
