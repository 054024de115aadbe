import type { Dashboard } from './dashboard.ts';

/** A secret of a run, and in how many answers the browser may have received it. */
interface Secret {
  readonly what: string;
  readonly value: string;
  readonly answers: number;
}

/** Every secret that a run used or made. */
export class Secrets {
  private readonly known: Secret[] = [];

  /** Registers a secret that no answer may contain. */
  keep(what: string, value: string): void {
    this.known.push({ what, value: bare(value), answers: 0 });
  }

  /** Registers a secret that the dashboard showed when it was created. */
  keepShownOnce(what: string, value: string): void {
    this.known.push({ what, value: bare(value), answers: 1 });
  }

  /** Reports where any secret occurs. */
  leaks(dashboard: Dashboard, log: readonly string[]): string[] {
    const received = dashboard.received.texts.join('\n');
    const places = [
      ['the pages', dashboard.readable.join('\n')],
      ['the log', log.join('\n')],
    ] as const;
    return this.known.flatMap(({ what, value, answers }) => {
      const times = received.split(value).length - 1;
      return [
        ...(times === answers ? [] : [`${what}: ${times} times in answers instead of ${answers}`]),
        ...places.flatMap(([place, text]) => (text.includes(value) ? [`${what}: in ${place}`] : [])),
      ];
    });
  }
}

/** The secret without the prefix before it, which may be cut off. */
function bare(value: string): string {
  return value.replace(/^whsec_/, '');
}
