// @ts-check
/** How Relay fails. */

/** @typedef {import('../stand-in/http-server.js').FaultAnswers} FaultAnswers */

const HTML = { 'content-type': 'text/html' };

/** The answers of faults; other faults break the answer itself. @type {FaultAnswers} */
export const FAULT_ANSWERS = {
  html502: { status: 502, headers: HTML, body: '<html><head><title>502 Bad Gateway</title></head></html>' },
  html429: {
    status: 429,
    headers: HTML,
    body: '<html><body>Error 1015: You are being rate limited</body></html>',
  },
  json500: { status: 500, body: { message: 'Internal Server Error', errorCode: 'UNKNOWN_ERROR' } },
  json503: {
    status: 503,
    body: { message: 'Service is temporarily unavailable', errorCode: 'SERVICE_UNAVAILABLE' },
  },
  unauthorized: { status: 401, body: { message: 'Invalid api key', errorCode: 'UNAUTHORIZED' } },
};
