import { openapi } from './plain-api/openapi.ts';

// A file of its own beside plain-api.test.ts, which takes long: a new field of an answer needs only these suites.
openapi();
