import { floodedReplicas, movedQuotes } from '../support/suites/flooded-replicas.ts';

floodedReplicas(6_000);
movedQuotes({ unlimited: 300, paced: { quotes: 60, clients: 40, maxRpm: 1_200, withinMs: 30_000 } });
