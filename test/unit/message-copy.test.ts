import { expect, it } from '@jest/globals';
import type { ConsumeMessage } from 'amqplib';

import { copyOf } from '../../src/destinations/rabbitmq/track-queue/message-copy.ts';

function copied(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { ...copyOf({ properties } as unknown as ConsumeMessage, {}) };
}

it('copies the properties that a publisher gave its message', () => {
  const published = {
    contentType: 'application/json',
    messageId: 'm',
    type: 'é'.repeat(127),
    timestamp: 1_800_000_000,
  };
  expect(
    copied({ ...published, headers: { trace: 'abc', retry: false, price: 0.5, count: -3 } }),
  ).toMatchObject({
    ...published,
    headers: { trace: 'abc', retry: false, price: 0.5, count: -3 },
  });
});

it.each([
  ['a text that grew beyond its limit when it was read', 'type', '\uFFFD'.repeat(255)],
  ['a message id that did', 'messageId', '\uFFFD'.repeat(86)],
  ['a time before 1970, which reads as one beyond all numbers', 'timestamp', 2 ** 64],
])('leaves out %s', (_what, name, value) => {
  expect(copied({ [name]: value })[name]).toBeUndefined();
});

it.each([
  ['of numbers that are too large', 'a', -1e300],
  ['whose name grew beyond its limit when it was read', '\uFFFD'.repeat(86), 'x'],
  ['that would send the copy elsewhere', 'CC', 'elsewhere'],
])('leaves out headers %s', (_what, name, value) => {
  expect(copied({ headers: { [name]: value, kept: 1 } })['headers']).toEqual({ kept: 1 });
});
