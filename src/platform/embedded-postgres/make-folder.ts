import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its parents; true if the folder did not exist. Node's recursive mkdir never returns where no folder
 * can be created, as in /proc.
 */
export function makeFolder(dir: string, mode: number): boolean {
  if (isFolder(dir)) return false;
  const above = dirname(dir);
  if (above !== dir) makeFolder(above, mode);
  try {
    mkdirSync(dir, { mode });
  } catch (error) {
    // A concurrent start may have created it.
    if (!isFolder(dir)) throw error;
  }
  return true;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
