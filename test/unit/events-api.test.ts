import { deliveriesSuite } from './events-api/deliveries.ts';
import { eventsSuite } from './events-api/events.ts';

// One file for all of these suites, so that Nest and its OpenAPI library are loaded once.
eventsSuite();
deliveriesSuite();
