import './platform/process/check-node.js';
import { load } from './platform/process/load-program.ts';

// Not before the check: everything else fails to load in a Node that is too old.
await load(() => import('./serve.ts'));
