/** The permission of checks of policies. */

/** The right to read all policies is the right to have any policy checked. */
export const ON_ALL_POLICIES = {
  access: "permitted",
  row: "getPolicy",
  values: () => [["policyId", "*"] as const],
} as const;
