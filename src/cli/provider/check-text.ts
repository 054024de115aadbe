import type { CheckList } from '../../providers/shared/check-list.ts';

/** The text for a terminal: a line for each check, and a last line with the overall result. */
export function asText({ lines, isGood }: CheckList, provider: string): string {
  const width = Math.max(...lines.map(({ check }) => check.length));
  const rows = lines.map(({ check, outcome, isEssential, detail }) => {
    const flag = isEssential && outcome !== 'ok' ? '!' : ' ';
    return `${flag} ${outcome.padEnd('not tried'.length)}  ${check.padEnd(width)}  ${detail}\n`;
  });
  const summary = isGood
    ? `${provider}: everything essential is as expected.`
    : `${provider}: the essential checks marked with ! are not as expected.`;
  return `${rows.join('')}\n${summary}\n`;
}

export function asJson({ lines, isGood }: CheckList, provider: string): string {
  const checks = lines.map(({ check, outcome, isEssential, detail }) => ({
    check,
    outcome,
    essential: isEssential,
    detail,
  }));
  return `${JSON.stringify({ provider, ok: isGood, checks }, null, 2)}\n`;
}
