import { randomBytes } from 'node:crypto';

import { openProofPlay } from './proof-play.ts';
import type { Play } from './play.ts';
import { type Arguments, readArguments } from './arguments.ts';
import { Interrupted, Rehearsal } from './rehearsal.ts';
import { MoneyPlay } from './money-play.ts';
import { ProvidersPlay } from './providers-play.ts';
import { SANDBOX_PLAY } from './sandbox-play.ts';
import { Cleanup } from '../testkit/cleanup.ts';

/**
 * A busy machine takes twice the usual half a minute. After this, Paybell still has its 10 s to stop within two minutes in
 * all.
 */
const SHOW_MS = 107_000;

const chosen = readArguments();
const { stay: isStaying } = chosen;
const cleanup = new Cleanup();
const interrupt = new AbortController();
const play = await openPlay(chosen);
cleanup.add(() => play.close());
const name = `paybell-demo-${randomBytes(4).toString('hex')}`;
const rehearsal = new Rehearsal(name, play, cleanup, interrupt.signal);

process.once('exit', () => rehearsal.abandon());
// Node would open its inspector on the first signal, and end on the second.
for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) process.on(signal, () => undefined);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)
  process.on(signal, () => {
    // A second interrupt means that the person does not want to wait for a clean end.
    if (interrupt.signal.aborted) process.exit(1);
    interrupt.abort(new Interrupted(`stopped by ${signal}`));
  });

const timer = setTimeout(() => interrupt.abort(new Error(`not done after ${SHOW_MS / 1_000} s`)), SHOW_MS);
const failure = await rehearsal.perform().then(
  () => null,
  (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
);
clearTimeout(timer);
if (isStaying && failure === null) {
  const isWell = rehearsal.close(null, []);
  await rehearsal.stay();
  const problems = await cleanup.run();
  for (const problem of problems) console.error(problem);
  process.exitCode = isWell && problems.length === 0 ? 0 : 1;
} else {
  const isWell = rehearsal.close(failure, await cleanup.run());
  if (isWell)
    console.log(`\nTo look at these payments in the dashboard: npm run demo -- ${wordsOf(chosen)}--stay`);
  process.exitCode = isWell ? 0 : 1;
}

function openPlay({ providers, money, proof, sandbox }: Arguments): Play | Promise<Play> {
  if (providers) return ProvidersPlay.open();
  if (money) return new MoneyPlay();
  return proof ? openProofPlay(sandbox) : SANDBOX_PLAY;
}

/** The arguments that chose the play. */
function wordsOf(play: Arguments): string {
  const words = (['providers', 'money', 'proof', 'sandbox'] as const).filter((word) => play[word]);
  return words.map((word) => `--${word} `).join('');
}
