/** Shorter names are one slip from too many variables of other programs. */
const SHORTEST_LETTERS = 8;

/** libpq's, the PostgreSQL image's, docker compose's, and what Kubernetes sets for each service that a pod can see. */
const NOT_OURS =
  /^PG|^POSTGRES_|^PAYBELL_|_SERVICE_HOST$|_SERVICE_PORT(?:_\w+)?$|_PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:ADDR|PORT|PROTO))?)?$/;
/** Set for the broker, which docker-compose.yml runs beside Paybell. */
const OF_THE_BROKER = new Set([
  'RABBITMQ_DEFAULT_PASS',
  'RABBITMQ_DEFAULT_USER',
  'RABBITMQ_MANAGEMENT_PORT',
  'RABBITMQ_PASSWORD',
]);
/** What can be printed without a thought. */
const PLAIN = /^[\w.-]+$/;

export interface Misspelt {
  readonly name: string;
  readonly meant: string;
}

/** Variables that are set and one slip away from one of `known`: they would be ignored, and a default would hold. */
export function misspeltNames(
  env: Readonly<Record<string, string | undefined>>,
  known: ReadonlySet<string>,
): Misspelt[] {
  const long = [...known].filter((name) => lettersOf(name).length >= SHORTEST_LETTERS);
  return Object.entries(env).flatMap(([name, value]) => {
    if (known.has(name) || (value ?? '').trim() === '' || isOfOthers(name)) return [];
    const meant = long.find((candidate) => isSlipOf(name, candidate));
    return meant === undefined ? [] : [{ name, meant }];
  });
}

function isOfOthers(name: string): boolean {
  return !PLAIN.test(name) || NOT_OURS.test(name) || OF_THE_BROKER.has(name);
}

function isSlipOf(name: string, meant: string): boolean {
  return lettersOf(name) === lettersOf(meant) || isOneEdit(name, meant);
}

/** Without what separates words, in one case. */
function lettersOf(name: string): string {
  return name.replace(/[_.-]/g, '').toUpperCase();
}

/** One character too many, too few or another, or two neighbours swapped. */
function isOneEdit(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  if (a.length > b.length) return restA.slice(1) === restB;
  if (a.length < b.length) return restB.slice(1) === restA;
  const isSwapped = restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
  return restA.slice(1) === restB.slice(1) || isSwapped;
}
