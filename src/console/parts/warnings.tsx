/** Warnings that came with a change that was made. */

/** Shows them; nothing where there are none. */
export function Warnings({ texts }: { readonly texts: readonly string[] }) {
  if (texts.length === 0) return null;
  return (
    <div role="status" class="warnings">
      <p>Done, with {texts.length === 1 ? "a warning" : "warnings"}:</p>
      <ul>
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  );
}
