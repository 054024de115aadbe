import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it; true if it was not there. Node's own recursive way never ends where nothing can be
 * made, as in /proc.
 */
export function makeFolder(dir: string, mode: number): boolean {
  if (isFolder(dir)) return false;
  const above = dirname(dir);
  if (above !== dir) makeFolder(above, mode);
  try {
    mkdirSync(dir, { mode });
  } catch (error) {
    // Another start was faster.
    if (!isFolder(dir)) throw error;
  }
  return true;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
