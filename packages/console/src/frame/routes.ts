/** The pages: one line for each. A page is in a folder of its own below `pages` and is loaded when it is first shown. */

import type { ComponentType } from "preact";
import type { Session } from "./session.tsx";

/** A page of the application. */
interface PageRoute {
  /** Address, with `:name` for what the page is about. */
  readonly path: string;
  readonly load: () => Promise<{ readonly default: ComponentType }>;
  /** The action, on all resources, without which the page shows what is missing; absent: the page is for everybody. */
  readonly needs?: string;
  /** Whether this service has what the page shows; absent: it has. */
  readonly isOffered?: (session: Session) => boolean;
  /** Its name in the navigation, for those who may see the page; absent: it has none. */
  readonly label?: string;
}

/** All pages, in the order of the navigation. */
export const ROUTES: readonly PageRoute[] = [
  {
    path: "/",
    load: () => import("../pages/overview/overview-page.tsx"),
    label: "Overview",
    needs: "auth:ReadDecisions",
  },
  {
    path: "/users",
    load: () => import("../pages/users/users-page.tsx"),
    label: "Users",
    needs: "auth:ListUsers",
  },
  { path: "/users/:id", load: () => import("../pages/users/user-page.tsx") },
  {
    path: "/groups",
    load: () => import("../pages/groups/groups-page.tsx"),
    label: "Groups",
    needs: "auth:ListGroups",
  },
  { path: "/groups/:id", load: () => import("../pages/groups/group-page.tsx") },
  {
    path: "/policies",
    load: () => import("../pages/policies/policies-page.tsx"),
    label: "Policies",
    needs: "auth:ListPolicies",
  },
  { path: "/policies/:id", load: () => import("../pages/policies/policy-page.tsx") },
  // No name of a policy can stand in its way.
  { path: "/create-policy", load: () => import("../pages/policies/create-policy-page.tsx") },
  {
    path: "/playground",
    load: () => import("../pages/playground/playground-page.tsx"),
    label: "Playground",
  },
  {
    path: "/who-can",
    load: () => import("../pages/who-can/who-can-page.tsx"),
    label: "Who can",
    needs: "auth:ReadUser",
  },
  {
    path: "/decisions",
    load: () => import("../pages/decisions/decisions-page.tsx"),
    label: "Decisions",
    needs: "auth:ReadDecisions",
  },
  {
    path: "/review",
    load: () => import("../pages/review/review-page.tsx"),
    label: "Review",
    needs: "auth:ReadDecisions",
  },
  {
    path: "/mirrors",
    load: () => import("../pages/mirrors/mirrors-page.tsx"),
    label: "Mirrors",
    needs: "fs:ListRepositories",
    isOffered: ({ mirrorRegions }) => mirrorRegions.length > 0,
  },
  { path: "/mirrors/:source/:id", load: () => import("../pages/mirrors/mirror-page.tsx") },
  {
    path: "/account",
    load: () => import("../pages/account/account-page.tsx"),
    label: "Account",
  },
];

/** The page that a person starts with: the first one of the navigation. */
export function firstPage(session: Session): string {
  return ROUTES.find((route) => route.label !== undefined && isShown(route, session))?.path ?? "/account";
}

/** Whether a page is shown to a person. */
export function isShown({ needs, isOffered }: PageRoute, session: Session): boolean {
  return (needs === undefined || session.actions.has(needs)) && (isOffered?.(session) ?? true);
}
