#!/usr/bin/env node
import '../check-node.js';
import { load } from '../load.ts';

// Not before the check: everything else fails to load in a Node that is too old.
await load(() => import('./command.ts'));
