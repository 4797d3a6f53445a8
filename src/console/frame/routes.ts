/** The pages: one line for each. A page is in a folder of its own below `pages` and is loaded when it is first shown. */

import type { ComponentType } from "preact";
import type { Session } from "./session.tsx";

/** A page of the application. */
export interface PageRoute {
  /** Address, with `:name` for what the page is about. */
  readonly path: string;
  readonly load: () => Promise<{ readonly default: ComponentType }>;
  /** Its entry in the navigation; absent: it has none. */
  readonly navigation?: {
    readonly label: string;
    /** Whether a person sees the entry; absent: everybody. */
    readonly isFor?: (session: Session) => boolean;
  };
}

const may =
  (action: string) =>
  ({ actions }: Session): boolean =>
    actions.has(action);

/** All pages, in the order of the navigation. */
export const ROUTES: readonly PageRoute[] = [
  {
    path: "/",
    load: () => import("../pages/overview/overview-page.tsx"),
    navigation: { label: "Overview", isFor: may("auth:ReadDecisions") },
  },
  {
    path: "/users",
    load: () => import("../pages/users/users-page.tsx"),
    navigation: { label: "Users", isFor: may("auth:ListUsers") },
  },
  { path: "/users/:id", load: () => import("../pages/users/user-page.tsx") },
  {
    path: "/groups",
    load: () => import("../pages/groups/groups-page.tsx"),
    navigation: { label: "Groups", isFor: may("auth:ListGroups") },
  },
  { path: "/groups/:id", load: () => import("../pages/groups/group-page.tsx") },
  {
    path: "/policies",
    load: () => import("../pages/policies/policies-page.tsx"),
    navigation: { label: "Policies", isFor: may("auth:ListPolicies") },
  },
  { path: "/policies/:id", load: () => import("../pages/policies/policy-page.tsx") },
  // No name of a policy can stand in its way.
  { path: "/create-policy", load: () => import("../pages/policies/create-policy-page.tsx") },
  {
    path: "/playground",
    load: () => import("../pages/playground/playground-page.tsx"),
    navigation: { label: "Playground" },
  },
  {
    path: "/who-can",
    load: () => import("../pages/who-can/who-can-page.tsx"),
    navigation: { label: "Who can", isFor: may("auth:ReadUser") },
  },
  {
    path: "/decisions",
    load: () => import("../pages/decisions/decisions-page.tsx"),
    navigation: { label: "Decisions", isFor: may("auth:ReadDecisions") },
  },
  {
    path: "/review",
    load: () => import("../pages/review/review-page.tsx"),
    navigation: { label: "Review", isFor: may("auth:ReadDecisions") },
  },
  {
    path: "/account",
    load: () => import("../pages/account/account-page.tsx"),
    navigation: { label: "Account" },
  },
];

/** The page that a person starts with: the first one of the navigation. */
export function firstPage(session: Session): string {
  const first = ROUTES.find(({ navigation }) => navigation !== undefined && isShown(navigation, session));
  return first?.path ?? "/account";
}

/** Whether an entry of the navigation is shown to a person. */
export function isShown({ isFor }: NonNullable<PageRoute["navigation"]>, session: Session): boolean {
  return isFor?.(session) ?? true;
}
