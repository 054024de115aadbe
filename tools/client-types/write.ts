import { writeFileSync } from 'node:fs';

import { eventTypes } from './event-types.ts';

/** Seen from the built script in build/tools/client-types. */
const FILE = new URL('../../../packages/client/src/event-types.ts', import.meta.url);

writeFileSync(FILE, await eventTypes());
