/** A sentence of the API: text between backticks is code. */
export function Said({ text }: { text: string }) {
  return text.split('`').map((part, index) =>
    // eslint-disable-next-line react/no-array-index-key -- the parts of a text do not move
    index % 2 === 0 ? part : <code key={index}>{part}</code>,
  );
}
