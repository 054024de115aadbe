import { readFileSync } from 'node:fs';

import { CONSUMERS, wordOf, type Breach } from './ledger.ts';
import type { PollWatch } from './poll-watch.ts';
import { describeFault } from './describe-fault.ts';
import type { ProofStage } from './proof/proof-stage.ts';
import type { Run } from './run.ts';
import { logOf } from './stage.ts';
import { COUNTS } from './verdict.ts';

const STORIES_SHOWN = 3;
const BREACHES_SHOWN = 5;
const AROUND_MS = 15_000;
const LOG_LINES = 12;

/** How many breaches there are in all. */
export function breachesOf({ verdict }: Run): readonly Breach[] {
  return COUNTS.flatMap((name) => verdict[name]);
}

/** The table for people after a run. */
export function tableOf(run: Run): string {
  const { options, stage, happened, evidence, verdict, settledInMs } = run;
  const { watch, carriers, proof, replicas } = stage;
  const counts = stage.ledger.counts().map((count, index) => `${CONSUMERS[index]} ${count}`);
  const kinds = new Map<string, number>();
  for (const { fault } of happened) kinds.set(fault.kind, (kinds.get(fault.kind) ?? 0) + 1);
  const rows: (readonly [string, string | number])[] = [
    ['seed', options.seed],
    ['minutes', options.minutes],
    ['replicas', options.replicas],
    ['kill -9 of replicas', replicas.kills],
    ['other faults', happened.length - (kinds.get('kill') ?? 0)],
    ...[...kinds].filter(([kind]) => kind !== 'kill').map(([kind, count]) => [`  ${kind}`, count] as const),
    ['payments', evidence.played.length],
    ['events in the log', evidence.log.length],
    ['  different ones at each consumer', counts.join(', ')],
    ...pollRows('polls', watch),
    ...(carriers?.watches ?? []).flatMap((each, index) =>
      pollRows(`polls of ${carriers?.names[index]}`, each),
    ),
    ...(proof?.rpcs ?? []).map(
      ({ calls, lies }, index) => [`calls to RPC ${index}`, `${calls}, ${lies} lies`] as const,
    ),
    ...(proof === null ? [] : [['transactions on the chain', deedsOf(proof)] as const]),
    ['settled after', `${(settledInMs / 1_000).toFixed(0)} s`],
  ];
  const judged = COUNTS.map((name) => [name, verdict[name].length] as const);
  return `${aligned(rows)}\n\n${aligned(judged)}`;
}

function deedsOf({ chain: { transactions } }: ProofStage): string {
  const deeds = new Map<string, number>();
  for (const { deed } of transactions.values()) deeds.set(deed, (deeds.get(deed) ?? 0) + 1);
  return [...deeds].map(([deed, count]) => `${deed} ${count}`).join(', ');
}

function pollRows(
  name: string,
  { polls, shortestGapMs, busiestMinute }: PollWatch,
): [string, string | number][] {
  const gap = Number.isFinite(shortestGapMs)
    ? [['  shortest gap', `${shortestGapMs.toFixed(0)} ms`] as [string, string]]
    : [];
  return [[name, polls], ...gap, ['  busiest minute', busiestMinute]];
}

/** The first breaches of each kind, with the stories of the first payments concerned. */
export function failureOf(run: Run, folder: string): string {
  const shown = COUNTS.flatMap((name) => {
    const breaches = run.verdict[name];
    if (breaches.length === 0) return [];
    const lines = breaches
      .slice(0, BREACHES_SHOWN)
      .map((each) => `  ${each.quoteId ?? ''} ${clock(each.at)} ${each.text}`);
    return [`${name}: ${breaches.length}`, ...lines];
  });
  const firsts = COUNTS.flatMap((name) => run.verdict[name].find(({ quoteId }) => quoteId !== null) ?? []);
  const concerned = [...new Map(firsts.map((each) => [each.quoteId, each])).values()].slice(0, STORIES_SHOWN);
  return [...shown, ...concerned.map((each) => storyOf(run, each, folder))].join('\n');
}

/** All known facts about a payment, with the faults around it, by time. */
function storyOf(run: Run, { quoteId, at }: Breach, folder: string): string {
  const played = run.stage.provider.payments.get(quoteId ?? '');
  const lines: (readonly [number, string])[] = (played?.answers ?? []).map(({ at, status, step }) => [
    at,
    `provider answers ${status} (step ${step})`,
  ]);
  for (const [name, arrivals] of run.evidence.arrivals)
    for (const { at, event } of arrivals.filter(({ event }) => event.quoteId === quoteId))
      lines.push([at, `${name} gets #${event.sequence} ${wordOf(event)} ${event.id}`]);
  const times = [...lines.map(([time]) => time), ...(at > 0 ? [at] : [])];
  const [from, to] = [Math.min(...times) - AROUND_MS, Math.max(...times) + AROUND_MS];
  for (const { fault, from: began } of run.happened.filter((each) => each.from < to && each.to > from))
    lines.push([began, `FAULT ${describeFault(fault)}`]);
  if (at > 0) lines.push([at, 'THE BREACH']);
  const story =
    played === undefined
      ? 'unknown'
      : `${played.story.name}, ${played.story.isPatient ? 'patient' : 'hurried'}`;
  const sorted = lines.sort(([a], [b]) => a - b).map(([time, text]) => `  ${clock(time)} ${text}`);
  return [`\npayment ${quoteId} (${story})`, ...sorted, ...logLines(run, quoteId ?? '', folder)].join('\n');
}

function logLines({ options }: Run, quoteId: string, folder: string): string[] {
  return Array.from({ length: options.replicas }, (_, index) => {
    const lines = readFileSync(logOf(folder, index), 'utf8').split('\n');
    const about = lines.filter((line) => line.includes(quoteId)).slice(-LOG_LINES);
    return about.map((line) => `  log of replica ${index}: ${line}`);
  }).flat();
}

function clock(at: number): string {
  return at > 0 ? new Date(at).toISOString().slice(11, 23) : '';
}

function aligned(rows: readonly (readonly [string, string | number])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 3;
  return rows.map(([name, value]) => `${name.padEnd(width)}${value}`).join('\n');
}
