import { connect } from 'amqplib';

import type { Config } from '../../config/config.ts';
import { BrokerAddress } from '../../destinations/rabbitmq/broker-address.ts';
import { reasonOf } from '../../destinations/rabbitmq/broker-error.ts';
import { ADVICE } from './advice.ts';
import type { Findings } from './findings.ts';
import { inTime, Late } from './in-time.ts';

export async function examineBroker(config: Config, findings: Findings): Promise<void> {
  const { rabbitmqUrls, rabbitmqCa, rabbitmqExchange } = config;
  if (rabbitmqUrls === null)
    return findings.off('broker', 'RABBITMQ_URL is not set: events go to webhooks and streams');
  const failures: string[] = [];
  for (const url of rabbitmqUrls) {
    const address = new BrokerAddress(url, rabbitmqCa);
    try {
      const detail = await inTime(exchangeAt(address, rabbitmqExchange));
      const others = failures.length === 0 ? '' : ` (before it: ${failures.join('; ')})`;
      return findings.ok('broker', `${new URL(address.url).host}: ${detail}${others}`);
    } catch (error) {
      const isLate = error instanceof Late;
      findings.isLate ||= isLate;
      failures.push(`${new URL(address.url).host}: ${isLate ? error.message : reasonOf(error)}`);
    }
  }
  if (findings.isLate) findings.late('broker', failures.join('; '), ADVICE.broker);
  else findings.wrong('broker', failures.join('; '), ADVICE.broker);
}

/** Only asks; declares nothing. */
async function exchangeAt(address: BrokerAddress, exchange: string): Promise<string> {
  const { url, credentials, ca } = address;
  const options = { credentials, ...(ca === null ? {} : { ca }) };
  const connection = await connect(url, options);
  connection.on('error', () => undefined);
  try {
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    await channel.checkExchange(exchange);
    return `the exchange "${exchange}" is there`;
  } catch (error) {
    if ((error as { code?: unknown }).code !== 404) throw error;
    return `the exchange "${exchange}" is made when Paybell connects`;
  } finally {
    await connection.close().catch(() => undefined);
  }
}
