import { of, type Arrival, type ArrivedEvent, type Breach, type Consumer } from './ledger.ts';

/** The events that consumers received, and those in the event log. */
interface Published {
  readonly arrivals: ReadonlyMap<Consumer, readonly Arrival[]>;
  readonly log: readonly ArrivedEvent[];
}

/** Events that share a number, contents that share an id, anywhere; and events that the feed gave twice. */
export function doubled({ arrivals, log }: Published): Breach[] {
  const seen = new Map<string, string>();
  const idOf = new Map<string, string>();
  const breaches: Breach[] = [];
  const check = (event: ArrivedEvent, where: string, at: number): void => {
    const { id, quoteId, sequence } = event;
    const content = JSON.stringify(event);
    if ((seen.get(id) ?? content) !== content)
      breaches.push(of(event, `other content under one id, ${where}`, at));
    else seen.set(id, content);
    const number = `${quoteId}#${sequence}`;
    if ((idOf.get(number) ?? id) !== id)
      breaches.push(of(event, `a second event with this number, ${where}`, at));
    else idOf.set(number, id);
  };
  for (const event of log) check(event, 'in the log', 0);
  for (const [name, got] of arrivals) for (const { event, at } of got) check(event, `at the ${name}`, at);
  const fed = new Set<string>();
  const repeated = (arrivals.get('feed') ?? []).filter(({ event: { id } }) => fed.size === fed.add(id).size);
  return [...breaches, ...repeated.map(({ event, at }) => of(event, 'the feed gave it twice', at))];
}

/** A status that is reached twice, or the same contradiction or change published twice. */
export function doubledMeanings(events: readonly ArrivedEvent[]): Breach[] {
  const published = new Set<string>();
  return events
    .filter((event) => {
      const meaning = meaningOf(event);
      const isAgain = published.has(meaning);
      published.add(meaning);
      return isAgain;
    })
    .map((event) => of(event, 'means what an earlier event has said'));
}

function meaningOf(event: ArrivedEvent): string {
  const { type, reason, report, status } = event;
  if (type === 'payment.updated') return `updated ${report}`;
  return type === 'payment.anomaly' ? `anomaly ${reason} ${report}` : `${type} ${status}`;
}
