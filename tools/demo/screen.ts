const REDRAW_MS = 80;
const FEED_ROWS_MIN = 5;
const FEED_ROWS_MAX = 12;
const ESCAPE = '\u001B[';
const RESET = '\u001B[0m';
const CLEAR_LINE = '\u001B[K';
const HIDE_CURSOR = '\u001B[?25l';
const SHOW_CURSOR = '\u001B[?25h';

/** The output of the show: `line` shows the latest event, the board the present state. */
export interface Screen {
  start(): void;
  line(text: string): void;
  /** Ends the show and keeps the drawn lines. */
  end(): void;
}

/** Prints each line at once: for a file, a pipe, or a terminal that is too small or without colours. */
export class PlainScreen implements Screen {
  start(): void {
    // Nothing to prepare.
  }

  line(text: string): void {
    process.stdout.write(`${text.trimEnd()}\n`);
  }

  end(): void {
    // Nothing to undo.
  }
}

/** Prints nothing of a play with too many events to read. */
export class SilentScreen extends PlainScreen {
  override line(): void {
    // Prints nothing: the last lines of the play sum it up.
  }
}

/** A board that is redrawn in place, with the newest lines below it. */
export class LiveScreen implements Screen {
  private readonly feed: string[] = [];
  private drawnRows = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly board: () => readonly string[]) {}

  static fits(boardRows: number): boolean {
    const { isTTY, rows } = process.stdout;
    return (
      isTTY &&
      process.stdout.hasColors() &&
      process.env['TERM'] !== 'dumb' &&
      rows >= boardRows + FEED_ROWS_MIN + 2
    );
  }

  start(): void {
    process.stdout.write(HIDE_CURSOR);
    this.draw();
    this.timer = setInterval(() => this.draw(), REDRAW_MS);
  }

  line(text: string): void {
    this.feed.push(text);
    if (this.feed.length > FEED_ROWS_MAX) this.feed.shift();
  }

  end(): void {
    if (this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
    this.draw();
    process.stdout.write(SHOW_CURSOR);
  }

  private draw(): void {
    const { columns, rows } = process.stdout;
    const board = this.board();
    // One row stays free for the cursor: a screen that scrolls cannot be drawn over.
    const feed = this.feed.slice(-Math.max(rows - board.length - 2, 1));
    const lines = [...board, '', ...feed].map((line) => fit(line, columns - 1));
    const up = this.drawnRows === 0 ? '' : `\u001B[${this.drawnRows}A\r`;
    process.stdout.write(`${up}${lines.map((line) => `${line}${RESET}${CLEAR_LINE}\n`).join('')}\u001B[J`);
    this.drawnRows = lines.length;
  }
}

/** Cuts a painted line to this many visible characters. */
function fit(line: string, columns: number): string {
  let visible = 0;
  let cut = '';
  // eslint-disable-next-line no-control-regex
  for (const part of line.split(/(\u001B\[\d+m)/)) {
    const isEscape = part.startsWith(ESCAPE);
    const text = isEscape ? part : part.slice(0, columns - visible);
    cut += text;
    if (!isEscape) visible += text.length;
  }
  return cut;
}
