import type { IncomingMessage } from 'node:http';

/** A provider's notice is signed as it was sent: its bytes are kept, and whoever takes it reads them. */
const NOTICE_PATH = /^\/provider\/[a-z]+\/webhook\/?(?:\?|$)/;
/** 64 KiB. */
const NOTICE_LIMIT_BYTES = 65_536;

export function isNotice(request: IncomingMessage): boolean {
  return NOTICE_PATH.test(request.url ?? '');
}

/** For the body parser that keeps bytes. A compressed body is refused: nobody signs what is not sent. */
export const NOTICE_PARSER = {
  limit: NOTICE_LIMIT_BYTES,
  inflate: false,
  type: isNotice,
};
