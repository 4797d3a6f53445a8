/** Doubts that a question can have an answer, with what may be meant. */

import type { QuestionDoubt } from "@svc-authorizer/contract/management-api.gen.ts";

/** Properties of {@link QuestionDoubts}. */
interface QuestionDoubtsProps {
  readonly doubts: readonly QuestionDoubt[];
  /** The name of the list, where a page has several. */
  readonly label?: string;
  /** Takes a text in place of a part; absent: the texts are shown alone. */
  readonly onTake?: (part: "action" | "resource", text: string) => void;
}

/** Shows them; nothing if there are none. */
export function QuestionDoubts({ doubts, label = "Doubts about the question", onTake }: QuestionDoubtsProps) {
  if (doubts.length === 0) return null;
  return (
    <ul class="warnings" aria-label={label}>
      {doubts.map(({ part, message, meant }) => (
        <li key={message}>
          <bdi>{message}</bdi>
          {meant.length > 0 && ". Perhaps: "}
          {meant.map((text, index) => (
            <span key={text}>
              {index > 0 && ", "}
              {onTake === undefined ? (
                <bdi>
                  <code>{text}</code>
                </bdi>
              ) : (
                <button
                  type="button"
                  class="link"
                  onClick={() => onTake(part === "action" ? part : "resource", text)}
                >
                  <bdi>{text}</bdi>
                </button>
              )}
            </span>
          ))}
        </li>
      ))}
    </ul>
  );
}
