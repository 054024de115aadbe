import { callerShares } from '../support/suites/caller-shares.ts';

callerShares({ maxRpm: 600, floodMs: 8_000, calmEveryMs: 500 });
