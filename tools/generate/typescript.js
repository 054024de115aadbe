/** For `node --import`: runs TypeScript from its sources, with what Nest's compiler adds for /openapi.json. */
import { register } from 'node:module';

register('./typescript-hooks.js', import.meta.url);
