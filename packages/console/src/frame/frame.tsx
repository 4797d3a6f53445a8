/** The frame around every page: header with search, navigation, and the page itself. */

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ErrorBoundary, lazy, Route, Router, useLocation } from "preact-iso";
import { DialogOutlet } from "../parts/dialogs/dialog-outlet.tsx";
import { NotAllowed } from "../parts/states/not-allowed.tsx";
import { NotFound } from "../parts/states/not-found.tsx";
import { GlobalSearch } from "./global-search.tsx";
import { firstPage, isShown, ROUTES } from "./routes.ts";
import { SessionProvider, useSession, useSignOut } from "./session.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";

const PAGES = ROUTES.map(({ path, load, needs, label = "" }) => ({
  path,
  component: needs === undefined ? lazy(load) : whereAllowed(lazy(load), { needs, label }),
}));
const ELSEWHERE = PAGES.filter(({ path }) => path !== "/");
const FIRST = PAGES.find(({ path }) => path === "/");

/** A page, or for those who may not see it, the permission that it needs. */
function whereAllowed(
  Shown: ComponentType,
  { needs, label }: { readonly needs: string; readonly label: string },
): ComponentType {
  return () => (useSession().actions.has(needs) ? <Shown /> : <NotAllowed title={label} action={needs} />);
}

/** The frame, for a person who signed in. */
export function Frame() {
  return (
    <SessionProvider>
      <DialogOutlet>
        <Framed />
      </DialogOutlet>
    </SessionProvider>
  );
}

function Framed() {
  const { path } = useLocation();
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);
  return (
    <div class="frame">
      <a class="skip" href="#page" target="_self">
        Skip to the page
      </a>
      <header class="top">
        <button
          type="button"
          class="menu-button quiet"
          aria-expanded={open}
          aria-controls="navigation"
          onClick={() => setOpen(!open)}
        >
          Menu
        </button>
        <a class="brand" href="/">
          svc-authorizer
        </a>
        <GlobalSearch />
      </header>
      <Navigation open={open} />
      <main id="page" tabIndex={-1}>
        <ErrorBoundary>
          <Router>
            {ELSEWHERE.map((page) => (
              <Route key={page.path} path={page.path} component={page.component} />
            ))}
            <Route path="/" component={Start} />
            <Route default component={NotFound} />
          </Router>
        </ErrorBoundary>
      </main>
    </div>
  );
}

/** The page at `/`, or for a person who may not see it, the first one of their navigation. */
function Start() {
  const { route } = useLocation();
  const first = firstPage(useSession());
  useEffect(() => {
    if (first !== "/") route(first, true);
  }, []);
  return first === "/" && FIRST !== undefined ? <FIRST.component /> : null;
}

function Navigation({ open }: { readonly open: boolean }) {
  const { path } = useLocation();
  const session = useSession();
  const signOut = useSignOut();
  const entries = ROUTES.flatMap((route) =>
    route.label !== undefined && isShown(route, session) ? [{ to: route.path, label: route.label }] : [],
  );
  const isCurrent = (to: string): boolean => path === to || (to !== "/" && path.startsWith(`${to}/`));
  return (
    <nav id="navigation" aria-label="Pages" class={open ? "side open" : "side"}>
      <ul>
        {entries.map(({ to, label }) => (
          <li key={to}>
            <a href={to} aria-current={isCurrent(to) ? "page" : undefined}>
              {label}
            </a>
          </li>
        ))}
      </ul>
      <div class="side-end">
        <ThemeSwitch />
        <p class="who">
          Signed in as <bdi>{session.user}</bdi>
        </p>
        <button type="button" class="quiet" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </nav>
  );
}
