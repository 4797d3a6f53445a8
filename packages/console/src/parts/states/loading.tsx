/** Waiting. */

/** Says what is being loaded; it appears only if that takes a moment. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <p role="status" class="loading">
      Loading {what}…
    </p>
  );
}
