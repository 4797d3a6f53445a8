/** Addresses of the things that have a page. */

/** The address of a user. */
export const userPage = (name: string): string => `/users/${encodeURIComponent(name)}`;
/** The address of a group. */
export const groupPage = (name: string): string => `/groups/${encodeURIComponent(name)}`;
/** The address of a policy. */
export const policyPage = (name: string): string => `/policies/${encodeURIComponent(name)}`;
