/** The refusals of the newest records, by the policy that denied. */

import type { Status } from "@svc-authorizer/contract/management-api.gen.ts";
import { policyPage } from "../../parts/links.ts";
import { Name } from "../../parts/name.tsx";

type Refusals = NonNullable<Status["refusals_by_policy"]>;

/** Lists the policies with a bar for each; most first. */
export function RefusalsByPolicy({ of: refusals }: { readonly of: Refusals }) {
  if (refusals.length === 0) return <p class="quiet-text">Nothing was refused.</p>;
  const most = Math.max(...refusals.map(({ count }) => count));
  return (
    <table class="bars" aria-label="refusals by policy">
      <thead class="for-readers">
        <tr>
          <th scope="col">Policy</th>
          <th scope="col">Refusals</th>
        </tr>
      </thead>
      <tbody>
        {refusals.map(({ policy, count }) => (
          <tr key={policy ?? ""}>
            <td>
              {policy === null ? "no statement allowed it" : <Name text={policy} href={policyPage(policy)} />}
            </td>
            <td>
              <meter min={0} max={most} value={count} aria-label="Share" /> {count.toLocaleString("en")}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
