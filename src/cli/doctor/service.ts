import type { ClientSettings } from '../../config/client-settings.ts';
import { isRecord } from '../../domain/payment/reading.ts';
import { VERSION } from '../../platform/version.ts';
import { ApiClient, type Schemas } from '../api/api-client.ts';
import { ApiProblem, reasonOf } from '../api/problem.ts';
import { wordsOf } from '../output/exit-status.ts';
import { ADVICE, CHECK_ADVICE } from './advice.ts';
import { noteItems, noteReceivers, readItems } from './attention.ts';
import type { Findings } from './findings.ts';
import { Late } from './in-time.ts';

/** How the details of such checks begin: see features/health/answer-in-time.ts. */
const OF_DATABASE = /^the database(?:: | gives no answer)/;

type Items = readonly Schemas['AttentionItemAnswer'][];
type Checks = Readonly<Record<string, unknown>>;

/** Checks that keep events from their receivers when degraded. */
const STOPS_EVENTS = new Set(['rabbitmq', 'deliveries', 'secrets']);
/** For a check, the items of attention that describe the same trouble in more detail. */
const SAID_BY: Readonly<Record<string, RegExp>> = {
  database: /^database_/,
  rabbitmq: /^broker_|^events_unroutable$/,
  provider: /^provider_|^budget_/,
  deliveries: /^undelivered$|^no_receiver$|^endpoints_/,
  secrets: /^secrets_/,
  log: /^log_/,
  replicas: /^settings_/,
};

/** Reads the running Paybell's statements about itself and about the key. */
export async function examineService(
  { url, apiKey }: ClientSettings,
  findings: Findings,
  signal: AbortSignal,
): Promise<void> {
  const checks = await readChecks(url, findings, signal);
  if (checks === null) return;
  const { database } = checks;
  const isDatabaseAway = isRecord(database) && database['status'] === 'unavailable';
  // Without the database no key is known, so that a right key would look wrong.
  if (isDatabaseAway) findings.off('key', 'not asked: the database is away, and keys are in it');
  const items = isDatabaseAway ? [] : await examineKey(url, apiKey, findings, signal);
  for (const [name, check] of Object.entries(checks))
    if (!isDatabaseAway || name === 'database' || !isForTheDatabase(check))
      noteCheck(name, check, items, findings);
}

/**
 * True for a check that failed because the database does not answer: the check of the database itself has the cause and the
 * remedy.
 */
function isForTheDatabase(check: unknown): boolean {
  return isRecord(check) && OF_DATABASE.test(String(check['detail']));
}

/** Null: the answer is not Paybell's. */
async function readChecks(url: string, findings: Findings, signal: AbortSignal): Promise<Checks | null> {
  try {
    const answer = await fetch(`${url}/health/ready`, { signal, redirect: 'error' });
    const body: unknown = await answer.json();
    const checks = isRecord(body) && isRecord(body['checks']) ? body['checks'] : {};
    const good = Object.entries(checks).flatMap(([name, check]) => (isPlain(check) ? [name] : []));
    const words = good.length === 0 ? '' : `; ok: ${good.join(', ')}`;
    findings.ok('service', `${url} answers with ${answer.status}${words}`);
    return checks;
  } catch (error) {
    const why = reasonOf(error) ?? wordsOf(error);
    if (signal.aborted) findings.late('service', `${url} ${new Late().message}`, ADVICE.service);
    else findings.wrong('service', `${url} does not answer as Paybell does: ${why}`, ADVICE.service);
    return null;
  }
}

/** A check that is ok and has no further detail. */
function isPlain(check: unknown): boolean {
  return isRecord(check) && check['status'] === 'ok' && typeof check['detail'] !== 'string';
}

function noteCheck(name: string, check: unknown, items: Items, findings: Findings): void {
  if (isPlain(check) || items.some(({ code }) => SAID_BY[name]?.test(code) === true)) return;
  const { status, detail } = isRecord(check) ? check : {};
  const words = [status, detail].filter((word) => typeof word === 'string').join(': ');
  const title = `service ${name}`;
  if (status === 'ok') return findings.ok(title, words);
  if (status === 'off') return findings.off(title, words);
  const advice = checkAdvice(name, words);
  if (status === 'degraded' && !STOPS_EVENTS.has(name)) findings.warning(title, words, advice);
  else findings.wrong(title, words, advice);
}

function checkAdvice(name: string, words: string): string {
  if (name === 'deliveries' && words.includes('without a receiver')) return ADVICE.receivers;
  return Object.hasOwn(CHECK_ADVICE, name)
    ? CHECK_ADVICE[name as keyof typeof CHECK_ADVICE]
    : CHECK_ADVICE.other;
}

/** Returns the items of attention, as far as the key may see them. */
async function examineKey(
  url: string,
  apiKey: string | null,
  findings: Findings,
  signal: AbortSignal,
): Promise<Items> {
  if (apiKey === null) {
    findings.off('key', 'PAYBELL_API_KEY is not set');
    return [];
  }
  try {
    const api = new ApiClient(url, apiKey, signal);
    const [{ data }, items] = await Promise.all([api.call('get', '/api/whoami'), readItems(api)]);
    noteKey(data, findings);
    await noteReceivers(api, items, findings);
    noteItems(items, findings);
    return items ?? [];
  } catch (error) {
    const isRefused = error instanceof ApiProblem && error.httpStatus === 401;
    // The key may be right.
    if (signal.aborted) findings.late('attention', `Paybell ${new Late().message}`);
    else findings.wrong('key', wordsOf(error), isRefused ? ADVICE.key : CHECK_ADVICE.other);
    return [];
  }
}

function noteKey({ name, role, version }: Schemas['Whoami'], findings: Findings): void {
  const detail = `${name}, with the role ${role}`;
  if (version === VERSION) return findings.ok('key', detail);
  const releases = `${detail}; Paybell is ${version}, this command ${VERSION}`;
  findings.warning('key', releases, ADVICE.otherRelease);
}
