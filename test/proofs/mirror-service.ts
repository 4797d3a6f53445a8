/** A service that mirrors the repository `sales` between two data servers, as proofs configure and ask it. */

const ADMIN = {
  access_key_id: "AKIAJADMINXXXXXXXXXQ",
  secret_access_key: "admin-secret-of-the-proof".padEnd(40, "x"),
};
/** Its administrator. */
export const AUTHORIZATION = `Basic ${Buffer.from(`${ADMIN.access_key_id}:${ADMIN.secret_access_key}`).toString("base64")}`;
/** The mirrors of the repository, at the user listener. */
export const MIRRORS = "/service/replication/v1/repositories/sales/mirrors";

/** Addresses of both data servers, and the key that both take. */
interface Mirrored {
  readonly source: string;
  readonly destination: string;
  readonly key: { readonly access_key_id: string; readonly secret_access_key: string };
}

/** The configuration, without the database. */
export function mirrorConfig({ source, destination, key }: Mirrored): Record<string, unknown> {
  return {
    listen_address: "127.0.0.1:0",
    "auth.encrypt.secret_key": "a-secret-key-of-one-proof-of-mirrors",
    "auth.api.token": "a-token-of-one-proof-of-mirrors-only",
    authorizer: {
      listen_address: "127.0.0.1:0",
      user_listen_address: "127.0.0.1:0",
      metrics_address: "127.0.0.1:0",
      bootstrap: "external",
      bootstrap_admin: { username: "admin", ...ADMIN },
      mirroring: {
        source: { endpoint: source, ...key },
        regions: { west: { endpoint: destination, ...key } },
        scan_interval: "1s",
        verify_interval: "1s",
      },
    },
  };
}
