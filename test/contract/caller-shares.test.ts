import { callerShares } from '../support/suites/caller-shares.ts';

callerShares({ maxRpm: 1_200, floodMs: 8_000, calmEveryMs: 250 });
