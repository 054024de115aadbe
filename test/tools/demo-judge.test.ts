import { describe, expect, it } from '@jest/globals';

import type { ArrivedEvent } from '../../tools/demo/arrived-event.ts';
import { judge } from '../../tools/demo/judge.ts';
import { Ledger } from '../../tools/demo/ledger.ts';
import type { StoryEvent } from '../../tools/testkit/told-story.ts';
import { STORIES, type Story } from '../../tools/demo/stories.ts';

const QUOTE = '5af8532c-5bf4-45c2-b099-1b36e96e91a3';
const STORY = STORIES[0] as Story;

function event(sequence: number, type: string, status: string): ArrivedEvent {
  return {
    id: `event-${sequence}`,
    type,
    data: { quoteId: QUOTE, orderId: 'A-1001', provider: 'sandbox', sequence, status, late: false },
  };
}

const LOG = [
  event(1, 'payment.created', 'AWAITING_DEPOSIT'),
  event(2, 'payment.executing', 'EXECUTING'),
  event(3, 'payment.completed', 'COMPLETED'),
];

function judgeArrivals(
  webhooks: readonly ArrivedEvent[],
  messages: readonly ArrivedEvent[],
  log: readonly ArrivedEvent[],
): string[] {
  const ledger = new Ledger();
  const account = ledger.open(STORY, QUOTE, 'sandbox');
  for (const one of webhooks) ledger.enter('webhooks', one);
  for (const one of messages) ledger.enter('messages', one);
  return judge(account, log, true);
}

const SHORT = LOG.slice(0, 2);
const TWICE = [...LOG, event(4, 'payment.completed', 'COMPLETED')];

describe('the verdict of the demo', () => {
  it.each([
    ['nothing of events that arrived both ways, twice or once', [...LOG, ...LOG], LOG, LOG, []],
    [
      'each webhook and each message that is missing',
      SHORT,
      LOG.slice(0, 1),
      LOG,
      [
        'no webhook for #3 payment.completed',
        'no RabbitMQ message for #2 payment.executing',
        'no RabbitMQ message for #3 payment.completed',
      ],
    ],
    ['a wrong order', LOG.toReversed(), LOG, LOG, ['webhooks came as 3, 2, 1']],
    [
      'a story that did not come to its end',
      SHORT,
      SHORT,
      SHORT,
      ['payment.completed did not happen', 'ends as EXECUTING, not as COMPLETED'],
    ],
    ['a payment that completed twice', TWICE, TWICE, TWICE, ['payment.completed happened 2 times']],
  ])('reports %s', (_what, webhooks, messages, log, problems) => {
    expect(judgeArrivals(webhooks, messages, log)).toEqual(problems);
  });

  it('reports a payment that another provider carries', () => {
    const account = new Ledger().open({ ...STORY, provider: 'relay' }, QUOTE, 'http');
    account.webhooks.push(...LOG);
    expect(judge(account, LOG, false)).toEqual([
      'is carried by http, not by relay',
      'has an event that is not of http',
    ]);
  });

  it('reports a verdict of the chain that is another one', () => {
    const [verification, reason] = [{ state: 'contradicted' }, 'amount_short'];
    const anomaly = event(4, 'payment.anomaly', 'COMPLETED');
    const log = [...LOG, { ...anomaly, data: { ...anomaly.data, reason, verification } }];
    const judgeBy = (verdict: string): string[] => {
      const account = new Ledger().open({ ...STORY, verdict }, QUOTE, 'sandbox');
      account.webhooks.push(...log);
      return judge(account, log, false);
    };
    expect(judgeBy('contradicted: amount_short')).toEqual([]);
    expect(judgeBy('proven')).toEqual(['the chain says contradicted: amount_short, not proven']);
  });

  it('reports an event that is not the one of the docs, and waits for no late end', () => {
    const told = { events: LOG as readonly object[] as readonly StoryEvent[], awaited: 2 };
    const judgeLog = (log: readonly ArrivedEvent[]): string[] => {
      const account = new Ledger().open({ ...STORY, mustHappen: [], told }, QUOTE, 'sandbox');
      account.webhooks.push(...log);
      return judge(account, log, false);
    };
    const ofAnotherPayment = LOG.map((each) => ({ ...each, id: 'other', time: 'later' }));
    expect([judgeLog(ofAnotherPayment), judgeLog(SHORT)]).toEqual([[], []]);
    expect(judgeLog(LOG.slice(0, 1))).toEqual(['event 2 is not executing, as docs/using/stories has it']);
    expect(judgeLog([...SHORT, event(3, 'payment.failed', 'FAILED')])).toEqual([
      'event 3 is not completed, as docs/using/stories has it',
    ]);
    expect(judgeLog([...LOG, event(4, 'payment.updated', 'COMPLETED')])).toEqual([
      'payment.updated is not in docs/using/stories',
    ]);
  });

  it('counts what arrived before the quote was answered', () => {
    const ledger = new Ledger();
    for (const one of LOG) expect(ledger.enter('webhooks', one)).toBe(true);
    expect(ledger.open(STORY, QUOTE, 'sandbox').webhooks).toEqual(LOG);
  });
});
