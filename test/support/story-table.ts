import { readFile } from 'node:fs/promises';

/** A story of the sandbox as docs/running/sandbox.md shows it. */
interface PublishedStory {
  /** Makes a quote's amount choose the story. */
  readonly amount: string;
  /** `created`, `anomaly went_back`, `completed late`, in order. */
  readonly words: readonly string[];
  /** When each of them is due, at speed 1. */
  readonly seconds: readonly number[];
}

/** The cells of a Markdown table's row. */
function cellsOf(row: string): string[] {
  return row
    .split('|')
    .map((cell) => cell.trim())
    .slice(1, -1);
}

/** The table of stories of docs/running/sandbox.md: the sandbox must do what it says. */
export async function readStories(): Promise<PublishedStory[]> {
  const lines = (await readFile('docs/running/sandbox.md', 'utf8')).split('\n');
  const head = lines.findIndex((line) => /^\| amount ends in +\|/.test(line));
  if (head < 0) throw new Error('docs/running/sandbox.md has no table of stories');
  const rows = lines.slice(head + 2, lines.indexOf('', head)).map(cellsOf);
  return rows.map(([digits = '', , events = '', seconds = '']) => ({
    amount: `1.${/`(\d\d)`/.exec(digits)?.[1] ?? '50'}`,
    words: events.split(', ').map((event) => event.replace(/`payment\.(\w+)`/, '$1')),
    seconds: seconds.split(', ').map(Number),
  }));
}
