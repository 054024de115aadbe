import { isSlipOf, lettersOf } from '../domain/text/slip.ts';

/** Shorter names resemble too many variables of other programs. */
const SHORTEST_LETTERS = 8;

/** Variables of libpq, the PostgreSQL image and docker compose, and those that Kubernetes sets for each service. */
const FOREIGN_NAMES =
  /^PG|^POSTGRES_|^PAYBELL_|_SERVICE_HOST$|_SERVICE_PORT(?:_\w+)?$|_PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:ADDR|PORT|PROTO))?)?$/;
/** Variables of the broker that docker-compose.yml runs beside Paybell. */
const BROKER_NAMES = new Set([
  'RABBITMQ_DEFAULT_PASS',
  'RABBITMQ_DEFAULT_USER',
  'RABBITMQ_MANAGEMENT_PORT',
  'RABBITMQ_PASSWORD',
]);
/** Names that are safe to print. */
const PRINTABLE = /^[\w.-]+$/;

export interface Misspelt {
  readonly name: string;
  readonly meant: string;
}

/**
 * The variables that are set and differ from one of `known` by one typing error: they would be ignored in favour of a
 * default.
 */
export function misspeltNames(
  env: Readonly<Record<string, string | undefined>>,
  known: ReadonlySet<string>,
): Misspelt[] {
  const long = [...known].filter((name) => lettersOf(name).length >= SHORTEST_LETTERS);
  return Object.entries(env).flatMap(([name, value]) => {
    if (known.has(name) || (value ?? '').trim() === '' || isForeign(name)) return [];
    const meant = long.find((candidate) => isSlipOf(name, candidate));
    return meant === undefined ? [] : [{ name, meant }];
  });
}

function isForeign(name: string): boolean {
  return !PRINTABLE.test(name) || FOREIGN_NAMES.test(name) || BROKER_NAMES.has(name);
}
