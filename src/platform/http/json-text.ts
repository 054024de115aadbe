import { randomBytes } from 'node:crypto';

/** JSON text that is copied verbatim into a response: its numbers, key order and spaces stay the same. */
export class JsonText {
  constructor(readonly text: string) {}
}

// Random for each process, so that no text of a user can imitate a marker.
const MARKER = randomBytes(18).toString('base64url');
const PLACES = new RegExp(`"${MARKER}:(\\d+)"`, 'g');

/** `JSON.stringify` for values that contain JsonText. */
export function stringify(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  const texts: string[] = [];
  const json = JSON.stringify(value, (_key, part: unknown) =>
    part instanceof JsonText ? `${MARKER}:${texts.push(part.text) - 1}` : part,
  ) as string | undefined;
  if (json === undefined) return 'null';
  return texts.length === 0
    ? json
    : json.replace(PLACES, (_place, index: string) => texts[Number(index)] ?? '');
}
