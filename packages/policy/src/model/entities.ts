/**
 * The entities of the directory: users, groups, credentials, external principals, token claims (spec/permissions §11.2).
 */

/** A scalar or nested attribute value of a registered property (spec/decision-api §4). */
export type PropertyValue =
  | string
  | number
  | boolean
  | null
  | readonly PropertyValue[]
  | { readonly [name: string]: PropertyValue };

/** Registered properties of a user or a resource. */
export type Properties = { readonly [name: string]: PropertyValue };

/** A user. Optional fields are absent when unset, never "". */
export interface User {
  readonly username: string;
  /** Unix seconds. */
  readonly creation_date: number;
  readonly friendly_name?: string;
  readonly email?: string;
  readonly source?: string;
  readonly external_id?: string;
  /** True for a user who can do nothing until an identity provider makes it active again (spec/scim §4). */
  readonly inactive?: boolean;
  /** Base64, opaque to this service. */
  readonly encryptedPassword?: string;
  readonly properties?: Properties;
}

/** A named collection of users. */
export interface Group {
  readonly name: string;
  readonly description?: string;
  /** Unix seconds. */
  readonly creation_date: number;
}

/** An access key without its secret. */
export interface Credential {
  readonly access_key_id: string;
  /** Unix seconds. */
  readonly creation_date: number;
  /** Unix seconds: from this second on nobody finds the key; absent: it does not expire. */
  readonly expires_at?: number;
  readonly username: string;
}

/** An access key with its secret in clear text. It exists only in memory and in answers to calls for it. */
export interface CredentialWithSecret extends Credential {
  readonly secret_access_key: string;
}

/** An access key with its secret that does not stay. */
export interface ExpiringCredential extends CredentialWithSecret {
  readonly expires_at: number;
}

/** An identity of another system, such as an IAM role, that acts as a user. */
export interface ExternalPrincipal {
  readonly id: string;
  readonly username: string;
}
