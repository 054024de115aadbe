#!/usr/bin/env node
import '../platform/process/check-node.js';
import { load } from '../platform/process/load-program.ts';

// After the check of the Node version: everything else fails to load in a Node that is too old.
await load(() => import('./command.ts'));
