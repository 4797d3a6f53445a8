/** The permission of checks of policies. */

/** Who may read all policies may have any policy checked. */
export const ON_ALL_POLICIES = {
  access: "permitted",
  row: "getPolicy",
  values: () => [["policyId", "*"] as const],
} as const;
