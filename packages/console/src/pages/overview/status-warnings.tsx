/** Things that somebody should look after. */

import type { Status } from "@svc-authorizer/contract/management-api.gen.ts";
import { counted } from "../../parts/counted.ts";
import { policyPage, userPage } from "../../parts/links.ts";
import { Name } from "../../parts/name.tsx";
import { Section } from "../../parts/section.tsx";
import { Time } from "../../parts/time.tsx";

/** Old keys, doubtful policies and administrators. Just after the start they are not known yet. */
export function StatusWarnings({ of: warnings }: { readonly of: Status["warnings"] }) {
  if (warnings === undefined) {
    return (
      <Section title="Warnings">
        <p class="quiet-text">Still looking…</p>
      </Section>
    );
  }
  const { old_keys: keys, doubtful_policies: policies, administrators, complete } = warnings;
  return (
    <Section title="Warnings">
      <ul class="plain reasons">
        <li>
          {keys.count === 0
            ? "No access key is older than a year."
            : `${counted(keys.count, "access key")} older than a year:`}
          <ul>
            {keys.some.map(({ user, access_key_id: id, creation_date: at }) => (
              <li key={id}>
                <code>{id}</code> of <Name text={user} href={userPage(user)} />, created <Time at={at} />
              </li>
            ))}
          </ul>
        </li>
        <li>
          {policies.count === 0
            ? "No policy has a warning."
            : `${counted(policies.count, "policy", "policies")} with warnings:`}
          <ul>
            {policies.some.map(({ policy, message }) => (
              <li key={policy}>
                <Name text={policy} href={policyPage(policy)} />: <Name text={message} />
              </li>
            ))}
          </ul>
        </li>
        <li>
          {counted(administrators.count, "user")} may attach any policy to any user:{" "}
          {administrators.some.map((user, index) => (
            <span key={user}>
              {index > 0 && ", "}
              <Name text={user} href={userPage(user)} />
            </span>
          ))}
          {administrators.count > administrators.some.length && " and more"}
        </li>
      </ul>
      {!complete && <p class="quiet-text">The directory is large: not everything was looked at yet.</p>}
    </Section>
  );
}
