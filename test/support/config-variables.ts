import { sectionsWith } from '../../src/config/config.ts';
import { PROVIDERS } from '../../src/providers/registered-providers.ts';

/** The name of every variable in the table of settings. */
export function configVariables(): Set<string> {
  const rows = sectionsWith(PROVIDERS).flatMap(({ rows }) => Object.values(rows));
  return new Set(rows.map(({ name }) => name));
}
