export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** A refusal by Paybell, with its reason: RFC 9457. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    readonly errors: readonly FieldError[],
    readonly requestId: string | null,
    readonly members: Readonly<Record<string, unknown>>,
  ) {
    super(detail);
  }
}

/** No answer: the connection failed, or was cut. */
export class Unreachable extends Error {
  constructor() {
    super('Paybell does not answer.');
  }
}

export async function problemOf(response: Response): Promise<Problem> {
  const body = await response
    .json()
    .then((value) => value as Record<string, unknown>)
    .catch((): Record<string, unknown> => ({}));
  const word = (name: string, otherwise: string): string =>
    typeof body[name] === 'string' ? body[name] : otherwise;
  const errors = Array.isArray(body['errors']) ? (body['errors'] as FieldError[]) : [];
  const requestId = word('requestId', response.headers.get('x-request-id') ?? '');
  return new Problem(
    response.status,
    word('code', 'unknown'),
    word('detail', `Paybell answered ${response.status}.`),
    errors,
    requestId === '' ? null : requestId,
    body,
  );
}

/** Advice on an error, in addition to its text. */
export function adviceFor(error: unknown): string {
  if (error instanceof Unreachable)
    return 'Check that the process runs and that the network is up. The page tries again by itself.';
  if (!(error instanceof Problem)) return 'Reload the page. If it comes again, please report it.';
  switch (error.code) {
    case 'database_unavailable':
      return 'Paybell runs, but its database does not answer. Nothing is lost; the page tries again by itself.';
    case 'forbidden':
      return 'Ask an administrator for a key with the role that this needs.';
    case 'provider_unavailable':
      return 'The provider gave no usable answer. Try again in a moment; Paybell goes on asking by itself.';
    case 'provider_credentials':
      return "Check the provider's key in the settings.";
    case 'internal':
      return error.requestId === null
        ? 'The log of the service has the reason.'
        : `The log of the service has the reason under requestId ${error.requestId}.`;
    default:
      return '';
  }
}
