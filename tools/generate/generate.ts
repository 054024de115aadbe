import { readFileSync, writeFileSync } from 'node:fs';

import { alertsDoc } from './alerts-doc.ts';
import { clientTypes } from './client-types.ts';
import { apiTypes } from './api-types.ts';
import { eventsDoc } from './events-doc.ts';
import { openApiDocument } from './openapi-document.ts';

const ROOT = new URL('../../', import.meta.url);
const CLIENT_TYPES = new URL('packages/client/src/event-types.ts', ROOT);
const EVENTS_DOC = new URL('docs/events.md', ROOT);
const METRICS_DOC = new URL('docs/metrics.md', ROOT);
const ALERT_RULES = new URL('deploy/prometheus/rules.yml', ROOT);
const API_TYPES = new URL('web/src/api/schema.d.ts', ROOT);

writeFileSync(CLIENT_TYPES, await clientTypes());
writeFileSync(EVENTS_DOC, await eventsDoc(readFileSync(EVENTS_DOC, 'utf8')));
writeFileSync(API_TYPES, await apiTypes(await openApiDocument()));
writeFileSync(
  METRICS_DOC,
  await alertsDoc(readFileSync(METRICS_DOC, 'utf8'), readFileSync(ALERT_RULES, 'utf8')),
);
