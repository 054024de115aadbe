import { afterAll, describe, it } from '@jest/globals';

import { PrivateBroker } from '../../tools/testkit/private-broker.ts';
import { findRabbitmqServer } from '../../tools/testkit/rabbitmq-server.ts';

/** What global setup found: the broker's URL, or why there is none. */
export const BROKER_VARIABLE = 'PAYBELL_TEST_AMQP';
export const NO_BROKER_VARIABLE = 'PAYBELL_TEST_NO_AMQP';

const LOCAL_URL = 'amqp://guest:guest@127.0.0.1:5672';

/** The run's RabbitMQ, shared by all test files: never stop it. */
export function brokerUrl(): string {
  return process.env[BROKER_VARIABLE] ?? process.env['TEST_RABBITMQ_URL'] ?? LOCAL_URL;
}

/** A suite that needs a RabbitMQ: without one it is listed as skipped with the reason, and fails with CI=true. */
export function describeWithBroker(name: string, suite: () => void): void {
  describeUnless(process.env[NO_BROKER_VARIABLE], name, suite);
}

/** True if a RabbitMQ can be started for one suite alone, which may then stop and kill it. */
export function isPrivateBrokerPossible(): boolean {
  return findRabbitmqServer() !== null;
}

/** A suite that stops and kills a RabbitMQ of its own. */
export function describeWithPrivateBroker(name: string, suite: () => void): void {
  const reason =
    'no rabbitmq-server is installed to be stopped and killed; install the package rabbitmq-server';
  describeUnless(isPrivateBrokerPossible() ? undefined : reason, name, suite);
}

/** Starts a RabbitMQ for this test file; it is ended with the file at the latest. */
export async function startPrivateBroker(): Promise<PrivateBroker> {
  const broker = await PrivateBroker.start();
  started.push(broker);
  return broker;
}

const started: PrivateBroker[] = [];
afterAll(() => {
  for (const broker of started.splice(0)) broker.destroy();
});

function describeUnless(reason: string | undefined, name: string, suite: () => void): void {
  if (reason === undefined) {
    describe(name, suite);
  } else if (process.env['CI'] === 'true') {
    it(`${name} has a RabbitMQ`, () => {
      throw new Error(reason);
    });
  } else {
    describe.skip(`${name} [skipped: ${reason}]`, suite);
  }
}
