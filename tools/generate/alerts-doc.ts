import { parse } from 'yaml';

import { withTables } from './tables.ts';

interface Rule {
  readonly alert: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
}

/** The text of docs/running/metrics.md with the table of the alerts in deploy/prometheus/rules.yml. */
export function alertsDoc(text: string, rules: string): Promise<string> {
  const { groups } = parse(rules) as { groups: readonly { rules: readonly Rule[] }[] };
  const rows = groups.flatMap(({ rules }) => rules.map(rowOf));
  return withTables(text, { alerts: () => [['alert', 'severity', 'after'], ...rows] });
}

function rowOf({ alert, for: after, labels }: Rule): string[] {
  return [`[${alert}](alerts.md#${alert.toLowerCase()})`, labels.severity, after];
}
