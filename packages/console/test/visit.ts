/**
 * Pages of the application that one browser page shows one after the other. In CI they are opened as a link opens them, and
 * the application stays: loading it takes more than half of the CPU time of a page, and what looks at the page has to be put
 * into it again.
 */
import type { Page, Request } from "playwright-core";
import { isWhole } from "../../../test/proofs/size.ts";

/** An address without a page: no state of the page before is carried over to the next one. */
const NOWHERE = "/nothing";
/** Looks in a row that have to find nothing on its way: an answer may lead to the next request once it is shown. */
const QUIET_LOOKS = 3;

/** Requests on their way, of pages that are watched. */
const onTheirWay = new WeakMap<Page, Set<Request>>();

/**
 * Shows an address, waits for its heading, and until nothing is on its way any more.
 * @param page shows any page of the application in its frame, for a person who is signed in
 */
export async function visit(page: Page, address: string): Promise<void> {
  if (isWhole) {
    await page.goto(address);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    return;
  }
  const requests = watched(page);
  for (const target of [NOWHERE, address]) await page.evaluate(follow(target));
  const deadline = performance.now() + 60_000;
  for (let quiet = 0; quiet < QUIET_LOOKS; ) {
    const isLoading = await page.evaluate<boolean>(LOOK);
    quiet = isLoading || requests.size > 0 ? 0 : quiet + 1;
    if (performance.now() > deadline) throw new Error(`${address} is still loading: ${[...requests]}`);
  }
}

function watched(page: Page): ReadonlySet<Request> {
  const known = onTheirWay.get(page);
  if (known !== undefined) return known;
  const requests = new Set<Request>();
  page.on("request", (request) => requests.add(request));
  for (const end of ["requestfinished", "requestfailed"] as const)
    page.on(end as "requestfinished", (request) => requests.delete(request));
  onTheirWay.set(page, requests);
  return requests;
}

/** After a frame and what it has caused: whether a part of the page is still loading. */
const LOOK = `new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 10)))
  .then(() => document.querySelector(".loading") !== null)`;

/** Follows a link, and waits until the heading of the page before has given way to the next one. */
function follow(address: string): string {
  return `(async () => {
    const link = document.createElement("a");
    link.href = ${JSON.stringify(address)};
    if (link.href === location.href) return;
    const before = document.querySelector("h1");
    document.body.append(link);
    link.click();
    link.remove();
    const last = performance.now() + 60_000;
    while (before?.isConnected || document.querySelector("h1") === null) {
      if (performance.now() > last) throw new Error("no other heading: " + link.href);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })()`;
}
