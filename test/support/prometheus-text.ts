/** One metric as a scrape shows it. */
export interface Family {
  readonly help: string;
  readonly type: string;
  readonly samples: Sample[];
}

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const HELP = /^# HELP ([a-zA-Z_:][\w:]*) (\S.*)$/;
const TYPE = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram|summary)$/;
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? ([+-]?Inf|NaN|Nan|[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;
const LABEL = /^([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/;

/**
 * The metrics of a scrape, parsed more strictly than by Prometheus: throws for everything that Prometheus' own checker
 * reports.
 */
export class PrometheusText {
  readonly families = new Map<string, Family>();
  private current: { name: string; help: string } | null = null;
  private readonly series = new Set<string>();

  constructor(text: string) {
    if (!text.endsWith('\n')) throw new Error('the last line does not end');
    for (const line of text.slice(0, -1).split('\n')) this.read(line);
    for (const [name, family] of this.families) {
      if (family.type === 'histogram') checkHistogram(name, family);
    }
  }

  /** The value of one series; undefined without the series. Labels may be in any order. */
  value(name: string, labels: Record<string, string> = {}): number | undefined {
    const key = keyOf(name, labels);
    return this.samples().find((sample) => keyOf(sample.name, sample.labels) === key)?.value;
  }

  samples(): Sample[] {
    return [...this.families.values()].flatMap((family) => family.samples);
  }

  /** The samples of one metric; none when it only has a description. */
  samplesOf(name: string): Sample[] {
    return this.families.get(name)?.samples ?? [];
  }

  private read(line: string): void {
    if (line === '') return;
    const help = HELP.exec(line);
    if (help !== null) return this.begin(help[1] ?? '', help[2] ?? '');
    const type = TYPE.exec(line);
    if (type !== null) return this.describe(type[1] ?? '', type[2] ?? '');
    const sample = SAMPLE.exec(line);
    if (sample === null) throw new Error(`not a line of the format: ${line}`);
    this.add({ name: sample[1] ?? '', labels: labelsOf(sample[2] ?? ''), value: valueOf(sample[3] ?? '') });
  }

  private begin(name: string, help: string): void {
    if (this.families.has(name)) throw new Error(`${name} is described twice`);
    this.current = { name, help };
  }

  private describe(name: string, type: string): void {
    if (this.current?.name !== name || this.families.has(name))
      throw new Error(`the TYPE of ${name} does not follow its HELP`);
    this.families.set(name, { help: this.current.help, type, samples: [] });
  }

  private add(sample: Sample): void {
    const name = this.current?.name ?? '';
    const family = this.families.get(name);
    const suffixes = family?.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    if (family === undefined || !suffixes.some((suffix) => sample.name === name + suffix))
      throw new Error(`${sample.name} stands outside of its metric`);
    const key = keyOf(sample.name, sample.labels);
    if (this.series.has(key)) throw new Error(`${key} is there twice`);
    if (family.type === 'counter' && !(sample.value >= 0))
      throw new Error(`${key} cannot be ${sample.value}`);
    this.series.add(key);
    family.samples.push(sample);
  }
}

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (let rest = text; rest !== '';) {
    const [all, name, value] = LABEL.exec(rest) ?? [];
    if (all === undefined || name === undefined || value === undefined)
      throw new Error(`not a list of labels: ${text}`);
    if (name in labels) throw new Error(`${name} stands twice in ${text}`);
    labels[name] = value;
    rest = rest.slice(all.length);
  }
  return labels;
}

function valueOf(text: string): number {
  if (/inf/i.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return Number(text);
}

function keyOf(name: string, labels: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${name}${JSON.stringify(sorted)}`;
}

/** Buckets are cumulative, in order, and end with all there is. */
function checkHistogram(name: string, { samples }: Family): void {
  const groups = new Map<string, { bounds: number[]; counts: number[]; count?: number }>();
  for (const { name: sample, labels, value } of samples) {
    const { le, ...rest } = labels;
    const key = keyOf(name, rest);
    const group = groups.get(key) ?? { bounds: [], counts: [] };
    groups.set(key, group);
    if (sample === `${name}_count`) group.count = value;
    if (le === undefined) continue;
    group.bounds.push(valueOf(le));
    group.counts.push(value);
  }
  for (const [key, { bounds, counts, count }] of groups) {
    const isRising = (values: number[]): boolean =>
      values.every((value, i) => i === 0 || value >= (values[i - 1] ?? 0));
    if (!isRising(bounds) || !isRising(counts)) throw new Error(`the buckets of ${key} are not in order`);
    if (bounds.at(-1) !== Number.POSITIVE_INFINITY || counts.at(-1) !== count)
      throw new Error(`the buckets of ${key} don't end with all`);
  }
}
