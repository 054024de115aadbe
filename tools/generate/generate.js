import { fileURLToPath } from 'node:url';

import { importSources } from './import-sources.js';

const { generate } = await importSources(fileURLToPath(new URL('generate.ts', import.meta.url)));
await generate();
