import { fileURLToPath } from 'node:url';

import { importSources } from '../generate/import-sources.js';

/** `service-modules.ts`: the service itself is a bundle, which exports nothing. */
export const service = await importSources(fileURLToPath(new URL('service-modules.ts', import.meta.url)));
