import type { ClientSettings } from '../../config/client-settings.ts';
import { isRecord } from '../../domain/payment/reading.ts';
import { VERSION } from '../../platform/version.ts';
import { ApiClient } from '../api/api-client.ts';
import { ApiProblem, reasonOf } from '../api/problem.ts';
import { wordsOf } from '../output/exit-status.ts';
import { untilInterrupted } from '../output/interruption.ts';
import { examineAttention, examineReceivers } from './attention.ts';
import type { Findings } from './findings.ts';

const TIMEOUT_MS = 10_000;
/** Of these, what is degraded keeps events from their receivers. */
const STOPS_EVENTS = new Set(['rabbitmq', 'deliveries', 'secrets']);
const ADVICE: Readonly<Record<string, string>> = {
  rabbitmq:
    'Start the broker or have its queues consumed: docs/using/rabbitmq.md. What waits is published by itself.',
  deliveries: '`paybell endpoints list` says where and why; mend the shop or the broker.',
  database: 'Start PostgreSQL, or correct DATABASE_URL of the service.',
};
const READ_MORE = 'docs/running/troubleshooting.md and the log of that process say more.';

/** Reads what the running Paybell says of itself, and of the key. */
export async function examineService({ url, apiKey }: ClientSettings, findings: Findings): Promise<void> {
  let isDatabaseAway = false;
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(`${url}/health/ready`, { signal, redirect: 'error' });
    const body: unknown = await answer.json();
    const checks = isRecord(body) && isRecord(body['checks']) ? body['checks'] : {};
    findings.ok('service', `${url} answers with ${answer.status}`);
    for (const [name, check] of Object.entries(checks)) noteCheck(name, check, findings);
    isDatabaseAway = isRecord(checks['database']) && checks['database']['status'] === 'unavailable';
  } catch (error) {
    const advice = 'Start Paybell with the role api, or correct PAYBELL_URL.';
    return findings.wrong(
      'service',
      `${url} does not answer as Paybell does: ${reasonOf(error) ?? wordsOf(error)}`,
      advice,
    );
  }
  // Without it no key is known, so that a right one would look wrong.
  if (isDatabaseAway) findings.off('key', 'not asked: the database is away, and keys are in it');
  else await examineKey(url, apiKey, findings);
}

function noteCheck(name: string, check: unknown, findings: Findings): void {
  const { status, detail } = isRecord(check) ? check : {};
  const words = [status, detail].filter((word) => typeof word === 'string').join(': ');
  if (status === 'ok') findings.ok(`service ${name}`, words);
  else if (status === 'off') findings.off(`service ${name}`, words);
  else if (status === 'degraded' && !STOPS_EVENTS.has(name))
    findings.warning(`service ${name}`, words, READ_MORE);
  else findings.wrong(`service ${name}`, words, ADVICE[name] ?? READ_MORE);
}

async function examineKey(url: string, apiKey: string | null, findings: Findings): Promise<void> {
  if (apiKey === null) return findings.off('key', 'PAYBELL_API_KEY is not set');
  try {
    const api = new ApiClient(url, apiKey, untilInterrupted());
    const { data } = await api.call('get', '/api/whoami');
    const { name, role, version } = data;
    if (version === VERSION) findings.ok('key', `${name}, with the role ${role}`);
    else
      findings.warning(
        'key',
        `${name}, with the role ${role}; Paybell is ${version}, this command ${VERSION}`,
        'Use the command of the same release.',
      );
    await examineReceivers(api, findings);
    await examineAttention(api, findings);
  } catch (error) {
    const isRefused = error instanceof ApiProblem && error.httpStatus === 401;
    const advice = isRefused ? 'Make a key with `paybell keys add NAME`, beside the database.' : READ_MORE;
    findings.wrong('key', wordsOf(error), advice);
  }
}
