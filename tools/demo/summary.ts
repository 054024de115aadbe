import { styleText } from 'node:util';

import type { ArrivedEvent } from './arrived-event.ts';
import { storyWord } from '../testkit/told-story.ts';
import type { Account } from './ledger.ts';
import { verdictOf } from './stories.ts';

/** A payment at the end. `problems`: its missing or wrong parts. */
export interface Result {
  readonly account: Account;
  readonly log: readonly ArrivedEvent[];
  readonly hasBroker: boolean;
  readonly problems: readonly string[];
}

/** The last lines of the demo: the end of each payment, and the missing events, if any. */
export function sumUp(results: readonly Result[], problems: readonly string[]): string[] {
  const missing = results.flatMap((result) =>
    result.problems.map((problem) => `${result.account.story.orderId}: ${problem}`),
  );
  const all = [...problems, ...missing];
  if (all.length > 0)
    return [
      ...table(results),
      '',
      styleText('bold', styleText('red', 'Not everything went well:')),
      ...all.map((one) => `  ✗ ${one}`),
    ];
  return [...table(results), '', transition(results)];
}

function table(results: readonly Result[]): string[] {
  if (results.length === 0) return [];
  const carriers = results.some(({ account }) => account.story.provider !== undefined) ? 'Provider  ' : '';
  const width = Math.max(...results.map(({ account }) => account.story.orderId.length));
  const order = 'Order'.padEnd(width);
  const head = styleText('bold', `${order}  ${carriers}Ends as           Events  Webhooks  Messages  Story`);
  return ['', head, ...results.flatMap((result) => [row(result, width), ...proofOf(result, width)])];
}

function row({ account, log, hasBroker, problems }: Result, width: number): string {
  const { story, webhooks, messages } = account;
  const status = log.at(-1)?.data.status ?? '';
  const end = styleText(status === 'COMPLETED' ? 'green' : 'yellow', status.padEnd(16));
  const mark = problems.length === 0 ? styleText('green', '✓') : styleText('red', '✗');
  const counts = `${pad(log.length, 6)}  ${pad(webhooks.length, 8)}  ${pad(hasBroker ? messages.length : '-', 8)}`;
  const isUnseen = story.mayHappen !== undefined && !log.some(({ type }) => type === story.mayHappen);
  const remark = isUnseen ? styleText('dim', ' (this time between two polls)') : '';
  const carrier = story.provider === undefined ? '' : account.provider.padEnd(10);
  return `${story.orderId.padEnd(width)}  ${carrier}${end}  ${counts}  ${mark} ${story.title}${remark}`;
}

/** For a payment that a chain proves or contradicts: the shop's events in order, and the verdict. */
function proofOf({ account, log }: Result, width: number): string[] {
  if (account.story.verdict === undefined) return [];
  const verdict = verdictOf(log);
  const told = log.map(storyWord).join(' → ');
  const colour = verdict === 'proven' ? 'green' : 'yellow';
  return [
    `${' '.repeat(width)}  ${styleText('dim', told)}`,
    `${' '.repeat(width)}  ${styleText(colour, verdict)}`,
  ];
}

function transition(results: readonly Result[]): string {
  const events = results.reduce((sum, { log }) => sum + log.length, 0);
  const hasBroker = results.some((result) => result.hasBroker);
  const ways = hasBroker ? 'as a signed webhook and as a RabbitMQ message' : 'as a signed webhook';
  return styleText(
    'bold',
    styleText('green', `All ${events} events arrived ${ways}, in order, without a gap.`),
  );
}

function pad(value: number | string, width: number): string {
  return String(value).padStart(width);
}
