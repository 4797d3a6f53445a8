/** Names that somebody else chose: any text, any direction, any length. */

/** Shows a stored text on its own line space: it cannot turn its neighbours around, nor push them away. */
export function Name({ text, href }: { readonly text: string; readonly href?: string }) {
  if (text === "") return null;
  const shown = (
    <bdi class="name" title={text}>
      {text}
    </bdi>
  );
  return href === undefined ? shown : <a href={href}>{shown}</a>;
}
