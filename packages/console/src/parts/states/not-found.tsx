/** Addresses without a page. */

import { Page } from "../page.tsx";

/** Says that there is no such page. */
export function NotFound() {
  return (
    <Page title="No such page">
      <p>
        Nothing is at this address. <a href="/">Go to the start</a>.
      </p>
    </Page>
  );
}
