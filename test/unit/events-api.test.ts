import { deliveriesSuite } from './events-api/deliveries.ts';
import { eventsSuite } from './events-api/events.ts';

// In one file, which loads Nest and its OpenAPI library once.
eventsSuite();
deliveriesSuite();
