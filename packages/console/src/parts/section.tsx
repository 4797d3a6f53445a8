/** Sections of a page. */

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** Properties of {@link Section}. */
interface SectionProps {
  readonly title: string;
  /** One sentence below the heading. */
  readonly about?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A part of a page below a heading of its own. */
export function Section({ title, about, actions, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <div class="section-head">
        <h2 id={id}>{title}</h2>
        {actions}
      </div>
      {about !== undefined && <p class="about">{about}</p>}
      {children}
    </section>
  );
}
