/** One scrape: the value of each series, as it is written in the text format. */
export type Scrape = ReadonlyMap<string, string>;

const SAMPLE = /^((\w+)(?:\{.*\})?) (\S+)$/;
const MISSING = '_';

/** The samples of these metrics in a scrape, with more labels. */
export function readScrape(
  text: string,
  metrics: ReadonlySet<string>,
  labels: Readonly<Record<string, string>>,
): Scrape {
  const more = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return new Map(
    text.split('\n').flatMap((line) => {
      const [, series = '', metric = '', value = ''] = SAMPLE.exec(line) ?? [];
      return metrics.has(metric) ? [[labelled(series, more), value] as const] : [];
    }),
  );
}

/** All series in promtool's form: a line for each with its name, a tab, and its values, of which repeated ones are counted. */
export function writeSeries(scrapes: readonly Scrape[]): string {
  const names = [...new Set(scrapes.flatMap((scrape) => [...scrape.keys()]))].sort();
  const lines = names.map((name) => {
    const values = scrapes.map((scrape) => scrape.get(name) ?? MISSING);
    return `${name}\t${countRepeated(values).join(' ')}\n`;
  });
  return lines.join('');
}

function labelled(series: string, labels: readonly string[]): string {
  const [name = '', rest] = series.split(/\{(.*)\}$/s);
  return `${name}{${[...(rest === undefined ? [] : [rest]), ...labels].join(',')}}`;
}

/** `5x3` is the value 5 and three more; `_x3` is three missing values. */
function countRepeated(values: readonly string[]): string[] {
  const runs: { value: string; count: number }[] = [];
  for (const value of values) {
    const last = runs.at(-1);
    if (last?.value === value) last.count += 1;
    else runs.push({ value, count: 1 });
  }
  return runs.map(({ value, count }) => {
    if (count === 1) return value;
    return value === MISSING ? `${value}x${count}` : `${value}x${count - 1}`;
  });
}
