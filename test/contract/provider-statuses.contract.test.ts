import { randomUUID } from 'node:crypto';

import { describe } from '@jest/globals';

import { readQuote, type Quote } from '../../src/domain/payment/quote.ts';
import { FakeProvider, quoteText, reportOf } from '../support/fakes/provider.fake.ts';
import { statusAnswers } from '../support/suites/status-answers.ts';

/** The real providers pass this suite in provider-conformance.test.ts. Each test sets the fake's answers. */
describe('the fake provider asked how payments stand', () => {
  const provider = new FakeProvider();

  async function createQuote(): Promise<Quote> {
    const quoteId = randomUUID();
    provider.statuses.set(quoteId, reportOf(quoteId));
    const quote = readQuote(JSON.parse(quoteText(quoteId)), quoteText(quoteId));
    if (quote === null) throw new Error('not a quote');
    return quote;
  }

  statusAnswers(() => ({ provider, createQuote }));
});
