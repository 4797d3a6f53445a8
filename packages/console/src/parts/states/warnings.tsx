/** Warnings of the service: that came with a change that was made, or with an answer. */

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

/** Shows what the reader has to know about an answer, a note for each text. */
export function Notes({ texts }: { readonly texts: readonly string[] }) {
  return (
    <>
      {texts.map((text) => (
        <p key={text} class="warnings">
          {text}
        </p>
      ))}
    </>
  );
}
