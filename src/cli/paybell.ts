#!/usr/bin/env node
import '../platform/process/signals.ts';
import '../platform/process/check-node.js';
import { loadProgram } from '../platform/process/load-program.ts';

// Runs after the check of the Node version: the program fails to load in a Node that is too old.
await loadProgram(async () => (await import('./program.ts')).run(process.argv.slice(2)));
