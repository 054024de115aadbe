/** A block of a stream of Server-Sent Events. */
export interface SseBlock {
  /** Null: the block has no id, and the former id remains. */
  readonly id: string | null;
  readonly type: string;
  /** Null: the block has no data and is no event, but its id still counts. Libraries leave such blocks out. */
  readonly data: string | null;
  readonly comments: readonly string[];
}

/** Parses Server-Sent Events by the HTML standard, from text in pieces of any size. */
export class SseParser {
  private rest = '';
  private id: string | null = null;
  private type = '';
  private data: string[] = [];
  private comments: string[] = [];

  /** The blocks that this text completes. */
  *take(text: string): Generator<SseBlock> {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line !== '' && line !== '\r') this.takeLine(line.replace(/\r$/, ''));
      else yield this.block();
    }
  }

  private takeLine(line: string): void {
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (field === '') this.comments.push(value);
    else if (field === 'id') this.id = value;
    else if (field === 'event') this.type = value;
    else if (field === 'data') this.data.push(value);
  }

  private block(): SseBlock {
    const { id, type, data, comments } = this;
    this.id = null;
    this.type = '';
    this.data = [];
    this.comments = [];
    return { id, type, data: data.length === 0 ? null : data.join('\n'), comments };
  }
}
