import { readFile } from 'node:fs/promises';

/** A story of the sandbox as docs/running/sandbox.md shows it. */
interface PublishedStory {
  /** For `metadata.story`. */
  readonly name: string;
  /** Makes a quote's amount choose the story. */
  readonly amount: string;
  /** `created`, `anomaly went_back`, `completed late`, in order. */
  readonly words: readonly string[];
  /** When each event is due, in seconds at speed 1. */
  readonly seconds: readonly number[];
}

const PAGE = 'docs/running/sandbox.md';
/** … in the table. */
const BEGINNING = ['created', 'deposit_received', 'executing', 'updated']
  .map((type) => `\`payment.${type}\``)
  .join(', ');
const PROOFS = '\n## Proofs\n';

/** The cells of a Markdown table's row. */
function cellsOf(row: string): string[] {
  return row
    .split('|')
    .map((cell) => cell.trim())
    .slice(1, -1);
}

/** The tables of stories in docs/running/sandbox.md, which the sandbox must follow. */
export async function readStories(): Promise<PublishedStory[]> {
  return storiesIn((await readFile(PAGE, 'utf8')).split(PROOFS)[0] ?? '');
}

/** The table of the stories that the sandbox's own chain tells, with VERIFY=require. */
export async function readProofStories(): Promise<PublishedStory[]> {
  const text = (await readFile(PAGE, 'utf8')).split(PROOFS)[1] ?? '';
  return storiesIn(
    text.replaceAll('| … `', `| ${BEGINNING}, \``).replaceAll(/\| … (?=\d)/g, '| 0, 20, 25, 35, '),
  );
}

function storiesIn(text: string): PublishedStory[] {
  const lines = text.split('\n');
  const rows = lines.map(cellsOf).filter(([name = '']) => /^`\w+`$/.test(name));
  if (rows.length === 0) throw new Error('docs/running/sandbox.md has no table of stories');
  return rows.map(([name = '', digits = '', , events = '', seconds = '']) => ({
    name: name.slice(1, -1),
    amount: `1.${/`(\d+)`/.exec(digits)?.[1] ?? '50'}`,
    words: events.split(', ').map((event) => event.replace(/`payment\.(\w+)`/, '$1')),
    seconds: seconds.split(', ').map(Number),
  }));
}
