/** Names to choose from while one types. */

import { useQuery } from "@tanstack/preact-query";
import { callUntilFound } from "../../api/call-until-found.ts";
import { useDelayed } from "../states/use-delayed.ts";

const CHOICES = 20;

/** A list of things with names. */
export type NameList = "GET /auth/users" | "GET /auth/groups" | "GET /auth/policies";

/** Names in a list that have the typed text; none where there is no list, as for a person who may not read it. */
export function useNameChoices(list: NameList | undefined, typed: string): readonly string[] {
  const part = useDelayed(typed);
  const { data = [] } = useQuery({
    queryKey: ["choices", list, part],
    queryFn: async () => {
      const { results } = await callUntilFound(list ?? "GET /auth/users", {
        query: { search: part, amount: CHOICES },
      });
      return results.map(({ id }) => id);
    },
    enabled: list !== undefined,
    placeholderData: (before) => before,
  });
  return data;
}
