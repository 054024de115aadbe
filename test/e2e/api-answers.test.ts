import { adoption } from './plain-api/adoption.ts';
import { openapi } from './plain-api/openapi.ts';

// Apart from plain-api.test.ts, whose bytes and connections take long: a new field of an answer needs these alone.
openapi();
adoption();
