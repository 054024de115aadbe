import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What is mutated: the domain, and what judges a poll's answer and settles a delivery's attempt. */
const SCOPE = [
  'src/domain',
  'src/features/polling/apply-poll.ts',
  'src/features/polling/provider-circuit.ts',
  'src/features/delivery/settle-outcome.ts',
  'src/destinations/webhook/webhook-outcome.ts',
];

/** The files at these paths, or of the whole scope. */
export function filesOf(paths: readonly string[]): readonly string[] {
  return (paths.length > 0 ? paths : SCOPE).flatMap(filesAt);
}

function filesAt(path: string): readonly string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path)
    .sort()
    .map((name) => join(path, name))
    .flatMap(filesAt);
}
