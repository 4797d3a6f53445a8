/** The application: its two pages before anybody signed in, and the frame with all others. */

import { QueryClientProvider } from "@tanstack/preact-query";
import { useEffect, useMemo } from "preact/hooks";
import { ErrorBoundary, LocationProvider, lazy, useLocation } from "preact-iso";
import { newQueryClient } from "../api/hooks.ts";
import { Crashed } from "./crashed.tsx";
import { Frame } from "./frame.tsx";
import { forgetSession, isSignedIn } from "./session.tsx";

const SignIn = lazy(() => import("../pages/sign-in/sign-in-page.tsx"));
const SetUp = lazy(() => import("../pages/set-up/set-up-page.tsx"));

/** The whole application. */
export function App() {
  return (
    <LocationProvider>
      <Crashed>
        <Pages />
      </Crashed>
    </LocationProvider>
  );
}

function Pages() {
  const { path, route } = useLocation();
  const client = useMemo(() => newQueryClient(() => leave(route)), []);
  return (
    <QueryClientProvider client={client}>
      <ErrorBoundary>
        {path === "/login" ? <SignIn /> : path === "/setup" ? <SetUp /> : <SignedIn />}
      </ErrorBoundary>
    </QueryClientProvider>
  );
}

/** Goes to the sign-in page, which then leads back to this one. */
function leave(route: (url: string, replace?: boolean) => void): void {
  forgetSession();
  const { pathname, search } = location;
  if (pathname === "/login") return;
  const here = pathname + search;
  route(here === "/" ? "/login" : `/login?next=${encodeURIComponent(here)}`, true);
}

function SignedIn() {
  const { route } = useLocation();
  const signedIn = isSignedIn();
  useEffect(() => {
    if (!signedIn) leave(route);
  }, [signedIn]);
  return signedIn ? <Frame /> : null;
}
