import { fileURLToPath } from 'node:url';

import { importSources } from '../generate/import-sources.js';

/** `service-modules.ts` in place of the service itself, a bundle that exports nothing. */
export const service = await importSources(fileURLToPath(new URL('service-modules.ts', import.meta.url)));
