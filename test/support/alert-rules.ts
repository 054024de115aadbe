import { readFile } from 'node:fs/promises';

import { parse } from 'yaml';

export const ALERTS_FILE = new URL('../../deploy/prometheus/rules.yml', import.meta.url);

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}

/** The rules of deploy/prometheus/rules.yml. */
export async function alertRules(): Promise<AlertRule[]> {
  const { groups } = parse(await readFile(ALERTS_FILE, 'utf8')) as { groups: { rules: AlertRule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}
