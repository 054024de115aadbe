import { First1779000000001 } from './1-first.ts';
import { RateLimit1779000000002 } from './2-pace.ts';
import { OneRoundTrip1779000000003 } from './3-one-round-trip.ts';
import { EndpointSecrets1779000000004 } from './4-endpoint-secrets.ts';
import { Attempts1779000000005 } from './5-attempts.ts';
import { Replay1779000000007 } from './7-recovery.ts';
import { Feed1779000000008 } from './8-feed.ts';
import { Relay1779000000009 } from './9-relay.ts';
import { DueNow1779000000010 } from './10-due-now.ts';
import { QuoteWindow1779000000011 } from './11-quote-window.ts';
import { RemovedPayments1779000000012 } from './12-removed-payments.ts';
import { OutdatedPolls1779000000013 } from './13-outdated-looks.ts';
import { Outages1779000000018 } from './18-outages.ts';
import { SandboxStages1779000000014 } from './14-sandbox-stages.ts';
import { CallerTurns1779000000017 } from './17-caller-turns.ts';

/** Every migration in the order of its making: a class that is not listed here is never run. */
export const MIGRATIONS = [
  First1779000000001,
  RateLimit1779000000002,
  OneRoundTrip1779000000003,
  EndpointSecrets1779000000004,
  Attempts1779000000005,
  Replay1779000000007,
  Feed1779000000008,
  Relay1779000000009,
  DueNow1779000000010,
  QuoteWindow1779000000011,
  RemovedPayments1779000000012,
  OutdatedPolls1779000000013,
  Outages1779000000018,
  SandboxStages1779000000014,
  CallerTurns1779000000017,
];
