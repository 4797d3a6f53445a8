/** Doubts about a question while it is typed. */

import type { QuestionDoubt } from "@svc-authorizer/contract/management-api.gen.ts";
import { useEffect, useState } from "preact/hooks";
import { useAnswer } from "../../api/hooks.ts";

/** Milliseconds without a key before a text is judged. */
const PAUSE_MS = 300;

/** The doubts about what is typed, by the catalog and the resource types of data sets; none for empty parts. */
export function useDoubts(action: string, resource: string): readonly QuestionDoubt[] {
  const [typed, setTyped] = useState({ action, resource });
  useEffect(() => {
    const timer = setTimeout(() => setTyped({ action, resource }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [action, resource]);
  const body = {
    ...(typed.action !== "" && { action: typed.action }),
    ...(typed.resource !== "" && { resource: typed.resource }),
  };
  const { data } = useAnswer("POST /auth/question", { body });
  const isCurrent = typed.action === action && typed.resource === resource;
  return isCurrent ? (data?.doubts ?? []) : [];
}
