import { brokerOutages } from '../support/suites/broker-outages.ts';

brokerOutages({ awayMs: 3_000, alarmMs: 6_000, confirmMs: 3_000 });
