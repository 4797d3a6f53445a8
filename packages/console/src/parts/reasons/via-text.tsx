/** The ways in which a policy reaches a user, in words. */

import type { Via } from "@svc-authorizer/contract/management-api.gen.ts";
import { groupPage } from "../links.ts";
import { Name } from "../name.tsx";

/** Shows "directly", "through group …", or both. */
export function ViaText({ via }: { readonly via: readonly Via[] }) {
  const groups = via.flatMap((one) => ("group" in one ? [one.group] : []));
  const isDirect = via.some((one) => "user" in one);
  return (
    <>
      {isDirect && "attached directly"}
      {groups.map((group, index) => (
        <span key={group}>
          {index > 0 || isDirect ? ", " : ""}
          through group <Name text={group} href={groupPage(group)} />
        </span>
      ))}
    </>
  );
}
