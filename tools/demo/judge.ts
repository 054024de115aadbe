import type { ArrivedEvent } from './arrived-event.ts';
import type { Account } from './ledger.ts';
import { type ToldEvents, verdictOf } from './stories.ts';
import { normalised, storyWord } from '../testkit/told-story.ts';

/** The missing or wrong parts of a payment, in words; empty when everything arrived as expected. */
export function judge(account: Account, log: readonly ArrivedEvent[], hasBroker: boolean): string[] {
  return [
    ...judgeStory(account, log),
    ...judgeWay('webhook', account.webhooks, log),
    ...(hasBroker ? judgeWay('RabbitMQ message', account.messages, log) : []),
  ];
}

/** Whether Paybell's own log has the story to its end. */
function judgeStory({ story, provider }: Account, log: readonly ArrivedEvent[]): string[] {
  const unreported = story.mustHappen.filter((type) => !log.some((event) => event.type === type));
  const problems = unreported.map((type) => `${type} did not happen`);
  const status = log.at(-1)?.data.status ?? 'nothing';
  if (story.told !== undefined) problems.push(...judgeTold(story.told, log));
  else if (status !== story.end) problems.push(`ends as ${status}, not as ${story.end}`);
  if (story.verdict !== undefined && verdictOf(log) !== story.verdict)
    problems.push(`the chain says ${verdictOf(log) || 'nothing'}, not ${story.verdict}`);
  if (story.provider !== undefined && provider !== story.provider)
    problems.push(`is carried by ${provider}, not by ${story.provider}`);
  if (log.some(({ data }) => data.provider !== provider))
    problems.push(`has an event that is not of ${provider}`);
  const completed = log.filter(({ type }) => type === 'payment.completed').length;
  if (completed > 1) problems.push(`payment.completed happened ${completed} times`);
  return problems;
}

/** Whether the log has exactly these events; events that come too late to wait for may be missing. */
function judgeTold({ events, awaited }: ToldEvents, log: readonly ArrivedEvent[]): string[] {
  const wrong = events.flatMap((event, index) => {
    const logged = log[index];
    const isRight = logged === undefined ? index >= awaited : normalised(logged) === normalised(event);
    return isRight ? [] : [`event ${index + 1} is not ${storyWord(event)}, as docs/using/stories has it`];
  });
  const more = log.slice(events.length).map(({ type }) => `${type} is not in docs/using/stories`);
  return [...wrong, ...more];
}

/** Whether exactly the events of the log arrived on this way, numbered 1, 2, 3, … */
function judgeWay(way: string, arrived: readonly ArrivedEvent[], log: readonly ArrivedEvent[]): string[] {
  const missing = log.filter(({ id }) => !arrived.some((event) => event.id === id));
  const problems = missing.map(({ type, data }) => `no ${way} for #${data.sequence} ${type}`);
  const strange = arrived.filter(({ id }) => !log.some((event) => event.id === id));
  problems.push(
    ...strange.map(({ type, data }) => `${way} #${data.sequence} ${type} is not in the event log`),
  );
  const isInOrder = arrived.every(({ data }, index) => data.sequence === index + 1);
  if (!isInOrder) problems.push(`${way}s came as ${arrived.map(({ data }) => data.sequence).join(', ')}`);
  return problems;
}
