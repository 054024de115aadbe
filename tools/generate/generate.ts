import { readFileSync, writeFileSync } from 'node:fs';

import { clientTypes } from './client-types.ts';
import { eventsDoc } from './events-doc.ts';

/** Seen from the built script in build/tools/generate. */
const ROOT = new URL('../../../', import.meta.url);
const CLIENT_TYPES = new URL('packages/client/src/event-types.ts', ROOT);
const EVENTS_DOC = new URL('docs/events.md', ROOT);

writeFileSync(CLIENT_TYPES, await clientTypes());
writeFileSync(EVENTS_DOC, await eventsDoc(readFileSync(EVENTS_DOC, 'utf8')));
