import { afterAll, describe } from '@jest/globals';

import { PrivateBroker } from '../../tools/testkit/private-broker.ts';
import { describeWith, describeWithout } from './describe-with.ts';

/** The variable for the global setup's result: the broker's URL, or why there is none. */
export const BROKER_VARIABLE = 'PAYBELL_TEST_AMQP';
export const NO_BROKER_VARIABLE = 'PAYBELL_TEST_NO_AMQP';

const LOCAL_URL = 'amqp://guest:guest@127.0.0.1:5672';

/** The run's RabbitMQ, shared by all test files: never stop it. */
export function brokerUrl(): string {
  return process.env[BROKER_VARIABLE] ?? process.env['TEST_RABBITMQ_URL'] ?? LOCAL_URL;
}

/** A suite that needs the run's RabbitMQ. */
export function describeWithBroker(name: string, suite: () => void): void {
  const reason = process.env[NO_BROKER_VARIABLE];
  if (reason === undefined) describe(name, suite);
  else describeWithout('rabbitmq', name, suite, reason);
}

/** A suite that starts, stops and kills its own RabbitMQ. */
export function describeWithPrivateBroker(name: string, suite: () => void): void {
  describeWith('rabbitmq', name, suite);
}

/** Starts a RabbitMQ for this test file, which ends with the file at the latest. */
export async function startPrivateBroker(): Promise<PrivateBroker> {
  const broker = await PrivateBroker.start();
  started.push(broker);
  return broker;
}

const started: PrivateBroker[] = [];
afterAll(() => {
  for (const broker of started.splice(0)) broker.destroy();
});
