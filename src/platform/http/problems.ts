const RETRY_SOON_SECONDS = 5;
/** A statement may have been sent that the database still commits. */
const PERHAPS_STORED = 'The change may have been stored: read it before you repeat it.';

export interface ProblemKind {
  readonly status: number;
  /** The statuses that an error itself may choose. */
  readonly statuses?: readonly number[];
  readonly title: string;
  /** Replaces the error's message. Every 5xx has one, since its error's message is for the log only. */
  readonly detail?: string;
  /** Follows the detail if the request was meant to change something. */
  readonly change?: string;
  readonly retryAfterSeconds?: number;
}

/** Every problem code with its HTTP status and texts. See docs/using/errors.md. */
export const PROBLEMS: ReadonlyMap<string, ProblemKind> = new Map<string, ProblemKind>([
  ['invalid_request', { status: 400, title: 'The request is not valid' }],
  ['malformed_json', { status: 400, title: 'The body is not JSON' }],
  ['invalid_cursor', { status: 400, title: 'The cursor is not valid' }],
  ['unauthorized', { status: 401, title: 'An API key is required' }],
  ['invalid_signature', { status: 401, title: 'The notice is not signed' }],
  ['forbidden', { status: 403, title: 'The role of the API key does not allow this' }],
  ['wrong_origin', { status: 403, title: 'The request comes from another origin' }],
  ['not_found', { status: 404, title: 'Not found', detail: 'There is nothing at this path.' }],
  ['unknown_payment', { status: 404, title: 'Unknown payment' }],
  ['unknown_order', { status: 404, title: 'Unknown order' }],
  ['no_deposit_hints', { status: 404, title: 'The provider takes no transaction hashes' }],
  ['unknown_webhook_endpoint', { status: 404, title: 'Unknown webhook endpoint' }],
  ['unknown_destination', { status: 404, title: 'Unknown destination' }],
  ['unknown_recovery', { status: 404, title: 'Unknown recovery' }],
  ['unknown_webhook_delivery', { status: 404, title: 'Unknown webhook delivery' }],
  ['unknown_key', { status: 404, title: 'Unknown API key' }],
  ['unknown_session', { status: 404, title: 'Unknown session' }],
  ['link_not_found', { status: 404, title: "Unknown payer's link" }],
  ['method_not_allowed', { status: 405, title: 'The path has no such method' }],
  ['idempotency_mismatch', { status: 409, title: 'Idempotency-Key used with another body' }],
  ['idempotency_busy', { status: 409, title: 'Idempotency-Key in use', retryAfterSeconds: 1 }],
  ['quote_no_longer_payable', { status: 409, title: 'The quote cannot be paid any more' }],
  ['order_already_named', { status: 409, title: 'The payment has another order already' }],
  ['not_withheld', { status: 409, title: 'The completion of the payment is not withheld' }],
  ['secret_unreadable', { status: 409, title: "The endpoint's secret cannot be decrypted" }],
  ['webhook_endpoint_disabled', { status: 409, title: 'The webhook endpoint is disabled' }],
  // 409 when a client tracks the removed payment again, 404 when it reads it.
  ['payment_removed', { status: 409, statuses: [404, 409], title: 'The payment was removed' }],
  ['too_many_endpoints', { status: 409, title: 'Too many webhook endpoints' }],
  ['recovery_running', { status: 409, title: 'A recovery is running already' }],
  ['delivery_discarded', { status: 409, title: 'The delivery was discarded' }],
  ['key_exists', { status: 409, title: 'An API key has this name' }],
  ['key_in_settings', { status: 409, title: 'The API key is set by API_KEYS' }],
  ['last_admin_key', { status: 409, title: 'The last API key with the role admin' }],
  ['too_many_keys', { status: 409, title: 'Too many API keys' }],
  ['link_expired', { status: 410, title: "The payer's link has expired" }],
  ['body_too_large', { status: 413, title: 'The body is too large' }],
  ['unsupported_media_type', { status: 415, title: 'The body has another media type than this needs' }],
  // 422 is the default: the error itself carries the provider's 400, 404 or 422.
  [
    'provider_refused',
    { status: 422, statuses: [400, 404, 422], title: 'The payment provider refused the request' },
  ],
  ['unprovable_chain', { status: 422, title: 'No RPC proves what is paid out on this chain' }],
  ['too_many_requests', { status: 429, title: 'Too many requests', retryAfterSeconds: 1 }],
  ['too_many_in_flight', { status: 429, title: 'Too many requests at once', retryAfterSeconds: 1 }],
  ['too_many_wrong_keys', { status: 429, title: 'Too many wrong API keys', retryAfterSeconds: 1 }],
  ['too_many_sign_ins', { status: 429, title: 'Too many sign-ins', retryAfterSeconds: 1 }],
  ['too_many_tests', { status: 429, title: 'Too many webhook tests', retryAfterSeconds: RETRY_SOON_SECONDS }],
  [
    'too_many_streams',
    { status: 429, title: 'Too many streams of one client', retryAfterSeconds: RETRY_SOON_SECONDS },
  ],
  [
    'internal',
    {
      status: 500,
      title: 'Internal error',
      detail: 'Something went wrong here. The log has the reason under this requestId.',
    },
  ],
  [
    'provider_credentials',
    {
      status: 502,
      title: 'The payment provider does not accept our key',
      detail:
        'The payment provider does not accept the key that this service sends (PROVIDER_API_KEY, RELAY_API_KEY).',
    },
  ],
  [
    'provider_misconfigured',
    {
      status: 502,
      title: 'There is no payment API at the configured address',
      detail:
        'There is no payment API at the address that this service asks (PROVIDER_BASE_URL, without /api).',
    },
  ],
  [
    'provider_unavailable',
    {
      status: 503,
      title: 'The payment provider is not available',
      detail: 'The payment provider did not give a usable answer. Try again later.',
      retryAfterSeconds: RETRY_SOON_SECONDS,
    },
  ],
  [
    'busy',
    {
      status: 503,
      title: 'The service is busy',
      detail:
        'The service is busy: the request waited too long for its turn. The database is well. Try again soon.',
      change: PERHAPS_STORED,
      retryAfterSeconds: 2,
    },
  ],
  [
    'database_unavailable',
    {
      status: 503,
      title: 'The database is not available',
      detail: 'The database does not answer or takes no writes. Try again later.',
      change: PERHAPS_STORED,
      retryAfterSeconds: RETRY_SOON_SECONDS,
    },
  ],
  [
    'streams_full',
    {
      status: 503,
      title: 'No more streams',
      detail: 'This process serves no more streams now. Try again: another may.',
      retryAfterSeconds: RETRY_SOON_SECONDS,
    },
  ],
  [
    'downloads_full',
    {
      status: 503,
      title: 'No more downloads',
      detail: 'This process makes as many CSV files as it can. Try again: another process may.',
      retryAfterSeconds: RETRY_SOON_SECONDS,
    },
  ],
  [
    'not_ready',
    {
      status: 503,
      title: 'Not ready',
      detail: 'The database does not answer, takes no writes or has another schema: see checks.database.',
      retryAfterSeconds: RETRY_SOON_SECONDS,
    },
  ],
]);

const CODE_OF_STATUS: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  404: 'not_found',
  413: 'body_too_large',
  415: 'unsupported_media_type',
};

/** The code for an error of the framework, which has only an HTTP status. */
export function codeOfStatus(status: number): string {
  if (status >= 500) return 'internal';
  return CODE_OF_STATUS[status] ?? 'invalid_request';
}
