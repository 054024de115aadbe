import type { IncomingMessage } from 'node:http';

/** The paths of providers' notices. A notice's signature covers its raw bytes, so the handler gets them unparsed. */
const NOTICE_PATH = /^\/provider\/[a-z]+\/webhook\/?(?:\?|$)/;
/** 64 KiB. */
const NOTICE_LIMIT_BYTES = 65_536;

export function isNotice(request: IncomingMessage): boolean {
  return NOTICE_PATH.test(request.url ?? '');
}

/** Options of the raw body parser. A compressed body is refused: the signature covers the bytes as sent. */
export const NOTICE_PARSER = {
  limit: NOTICE_LIMIT_BYTES,
  inflate: false,
  type: isNotice,
};
