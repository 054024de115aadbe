import { floodedReplicas, movedQuotes } from '../support/suites/flooded-replicas.ts';

floodedReplicas(6_000);
movedQuotes({ unlimited: 300, limited: { quotes: 60, clients: 60, maxRpm: 600, withinMs: 36_000 } });
