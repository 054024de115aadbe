import { RABBITMQ_TIMING } from '../../src/destinations/rabbitmq/rabbitmq-timing.ts';
import { brokerOutages } from '../support/suites/broker-outages.ts';

brokerOutages({ awayMs: 8_000, alarmMs: 20_000, confirmMs: RABBITMQ_TIMING.confirmMs });
