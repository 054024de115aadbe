/** Numbers, and their form in tables. */

export function median(/** @type {readonly number[]} */ values) {
  return percentile(values, 0.5);
}

export function percentile(/** @type {readonly number[]} */ values, /** @type {number} */ share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN;
}

/** Three digits that mean something. */
export function shown(/** @type {number} */ value) {
  if (Number.isNaN(value)) return 'not measured';
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 0.1 || value === 0 ? 2 : 4;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}

/** A Markdown table, aligned for a terminal too. */
export function table(/** @type {readonly (readonly string[])[]} */ rows) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (/** @type {readonly string[]} */ row) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}
