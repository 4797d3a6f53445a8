/** A new access key, whose secret is shown this once. */

import type { CredentialsWithSecret } from "@svc-authorizer/contract/management-api.gen.ts";
import { CopyButton } from "./copy-button.tsx";
import { Time } from "./time.tsx";

/** Shows an access key with its secret, to be copied. */
export function SecretOnce({ made }: { readonly made: CredentialsWithSecret }) {
  const { access_key_id: key, secret_access_key: secret } = made;
  return (
    <section class="secret-once" aria-label="New access key">
      <p>
        <strong>Keep the secret now.</strong> It is shown this once and cannot be read again.
      </p>
      <dl>
        <dt>Access key ID</dt>
        <dd>
          <code>{key}</code>
        </dd>
        <dt>Secret access key</dt>
        <dd>
          <code>{secret}</code>
        </dd>
        {made.expires_at !== undefined && (
          <>
            <dt>Expires</dt>
            <dd>
              <Time at={made.expires_at} />
            </dd>
          </>
        )}
      </dl>
      <CopyButton text={secret} />
    </section>
  );
}
