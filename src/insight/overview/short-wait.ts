/** The wait of an overview for what is searched for in the background. */

/** Enough for what is small, and a page is still quick. */
const PATIENCE_MS = 300;

/** Resolves when a search is over, which must not reject, or when that takes too long for whoever looks at a page. */
export async function waitShortly(search: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, PATIENCE_MS);
  await Promise.race([search, late.promise]);
  clearTimeout(timer);
}
