const MOST_IN_LABEL = 63;
/** The longest name as text, without a dot at its end: RFC 1035 counts 255 octets including the lengths of its parts. */
const MOST_IN_NAME = 253;

/**
 * Why no server can be reached by this URL, as the end of a sentence; null: a server may exist. A dot at the end of the name
 * is legal.
 */
export function urlFault({ hostname, port }: URL): string | null {
  if (port === '0') return 'has port 0, on which no server listens';
  const name = hostname.replace(/\.$/, '');
  const labels = name.split('.');
  if (labels.includes('')) return 'has a host with an empty label, as in shop..example';
  if (labels.some((label) => label.length > MOST_IN_LABEL))
    return `has a host with a label of more than ${MOST_IN_LABEL} letters`;
  return name.length > MOST_IN_NAME ? `has a host of more than ${MOST_IN_NAME} letters` : null;
}
