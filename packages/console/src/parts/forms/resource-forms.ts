/** Forms of ARNs to choose from. */

import { ACTIONS, RESOURCE_TYPES } from "../../catalog/catalog.gen.ts";
import { useSession } from "../../frame/session.tsx";

/** The forms of the resources that an action is decided on, of all types for an unknown action; `*` first where it fits. */
export function useResourceForms(action: string): readonly string[] {
  const { partition } = useSession();
  const known = ACTIONS.find(({ name }) => name === action)?.resources;
  const forms = RESOURCE_TYPES.filter(({ type }) => known?.includes(type) ?? true).map(({ arn }) =>
    arn.replace("arn:svc:", `arn:${partition}:`).replace(/\{\w+\}/g, (name) => name.slice(1, -1)),
  );
  return known?.includes("*") === true ? ["*", ...forms] : forms;
}
