/** Lint of a policy as one types. */

import type { PolicyLintAnswer } from "@svc-authorizer/contract/management-api.gen.ts";
import { useAnswer } from "../../api/hooks.ts";
import { useSession } from "../../frame/session.tsx";
import { useDelayed } from "../../parts/states/use-delayed.ts";

const DELAY = 400;

/** The findings of the service about a text; undefined while they are not known, or for people who may not ask. */
export function useLint(text: string, name: string): PolicyLintAnswer | undefined {
  const settled = useDelayed(text, DELAY);
  const mayAsk = useSession().actions.has("auth:ReadPolicy");
  const body = { document: settled, ...(name === "" ? {} : { name }) };
  const { data } = useAnswer("POST /auth/policies/lint", { body }, { enabled: mayAsk, keepPrevious: true });
  return data;
}
