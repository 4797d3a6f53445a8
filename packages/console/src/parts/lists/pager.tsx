/** The buttons between the pages of a list. */

import type { ListState } from "./use-list-state.ts";

/** Rows of a page. */
export const AMOUNT = 50;

/** Properties of {@link Pager}. */
interface PagerProps {
  readonly what: string;
  readonly state: ListState;
  /** The place at which the next page begins; empty on the last one. */
  readonly next: string;
  readonly isBusy: boolean;
}

/** Goes to the first page, the one before and the next. */
export function Pager({ what, state, next, isBusy }: PagerProps) {
  return (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      {state.after !== "" && (
        <button type="button" onClick={() => state.goTo("")}>
          First page
        </button>
      )}
      <button type="button" disabled={state.goBack === undefined || isBusy} onClick={state.goBack}>
        Previous page
      </button>
      <button type="button" disabled={next === "" || isBusy} onClick={() => state.goTo(next)}>
        Next page
      </button>
    </nav>
  );
}
