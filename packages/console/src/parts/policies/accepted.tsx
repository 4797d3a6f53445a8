/** The findings of lint that a policy accepts, beside the policy or a statement of it. */

interface Acceptance {
  readonly rule: string;
  readonly sid?: string;
  readonly reason: string;
}

/** Shows the rules with the reasons; nothing for none. */
export function Accepted({ of }: { readonly of: readonly Acceptance[] }) {
  return (
    <>
      {of.map(({ rule, sid, reason }) => (
        <span key={`${rule} ${sid}`} class="quiet-text">
          {"; "}accepts <code>{rule}</code>: <bdi>{reason}</bdi>
        </span>
      ))}
    </>
  );
}

/** The findings that concern a statement: those of its sid, and those of the whole policy. */
export function acceptedOf<T extends Acceptance & { readonly policy: string }>(
  accepted: readonly T[],
  { policy, sid }: { readonly policy: string; readonly sid?: string | undefined },
): readonly T[] {
  return accepted.filter((one) => one.policy === policy && (one.sid === undefined || one.sid === sid));
}
