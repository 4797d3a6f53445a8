/** Pages for which a permission is missing. */

import { Page } from "../page.tsx";

/** Says which permission the page needs. */
export function NotAllowed({ title, action }: { readonly title: string; readonly action: string }) {
  return (
    <Page title={title}>
      <p role="alert" class="alert">
        Your policies do not let you see this page: it takes <code>{action}</code>. An administrator can
        attach a policy that allows it.
      </p>
      <p class="about below">
        What you may do is on <a href="/account">your account</a>; why something is refused, the{" "}
        <a href="/playground">playground</a> says.
      </p>
    </Page>
  );
}
