/** A page: its one heading, its actions, and its title. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** Properties of {@link Page}. */
interface PageProps {
  readonly title: string;
  /** Kind of the thing that the title names, such as "User". */
  readonly kind?: string;
  /** Chapter of the manual below `/help`. */
  readonly help?: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Elements into which a person types, or chooses. */
const FIELDS = "input, textarea, select, [contenteditable]";

/**
 * Shows a page below its heading, which takes the focus when the page is opened, so that screen readers read it. A
 * person who is in a field by then, such as the search of the header, stays there.
 */
export function Page({ title, kind, help, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · svc-authorizer`;
    if (document.activeElement?.closest(FIELDS) == null) heading.current?.focus();
  }, [title]);
  return (
    <article class="page">
      <header class="page-head">
        <div>
          {kind !== undefined && <p class="page-kind">{kind}</p>}
          <h1 ref={heading} tabIndex={-1}>
            <bdi>{title}</bdi>
          </h1>
        </div>
        <div class="page-actions">
          {actions}
          {help !== undefined && (
            <a class="help" href={`/help/${help}`} target="_blank" rel="noreferrer">
              Help
            </a>
          )}
        </div>
      </header>
      {children}
    </article>
  );
}
