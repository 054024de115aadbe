import { floodedReplica, movedQuotes } from '../support/suites/flooded-replica.ts';

floodedReplica(20_000);
// The callers' share is 4.7 a second.
movedQuotes({ unlimited: 2_000, limited: { quotes: 100, clients: 60, maxRpm: 600, withinMs: 60_000 } });
