import { isUtf8 } from 'node:buffer';

import { InvalidField } from './invalid-field.ts';
import {
  BODY_LIMIT_BYTES,
  BodyTooLarge,
  checkValue,
  isJson,
  MalformedJson,
  UnsupportedMediaType,
} from './json-body.ts';
import { shapeFault } from './json-shape.ts';

/** Some clients put the charset into the content encoding. */
const PLAIN_ENCODINGS = new Set(['', 'identity', 'utf-8', 'utf8']);

/**
 * Parses JSON that did not arrive over HTTP, with the checks and limits of an HTTP body. A missing content type means JSON.
 * Throws UnsupportedMediaType, BodyTooLarge, MalformedJson and InvalidField.
 */
export function parseJson(
  bytes: Uint8Array,
  contentType: string | null,
  contentEncoding: string | null,
): unknown {
  if (contentType !== null && contentType !== '' && !isJson(contentType))
    throw new UnsupportedMediaType('The body must be JSON: the content type application/json, or none.');
  if (!PLAIN_ENCODINGS.has(contentEncoding?.toLowerCase() ?? ''))
    throw new UnsupportedMediaType('The body must be UTF-8 without compression.');
  if (bytes.byteLength > BODY_LIMIT_BYTES) throw new BodyTooLarge(BODY_LIMIT_BYTES);
  if (!isUtf8(bytes)) throw new MalformedJson('The body is not valid UTF-8.');
  const fault = shapeFault(bytes);
  if (fault !== null) throw new InvalidField('body', fault);
  const value = parseText(new TextDecoder().decode(bytes));
  checkValue(value);
  return value;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // JSON.parse's own message would repeat parts of the text.
    throw new MalformedJson('The body is not valid JSON.');
  }
}
