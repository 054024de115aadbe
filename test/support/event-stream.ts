import { get, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';

import { afterEach } from '@jest/globals';

export interface StreamedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: string;
}

const opened = new Set<EventStream>();
afterEach(() => {
  for (const stream of opened) stream.close();
  opened.clear();
});

/** Reads Server-Sent Events as the HTML standard says, and keeps them. */
export class EventStream {
  readonly events: StreamedEvent[] = [];
  readonly comments: string[] = [];
  retryMs: number | null = null;
  lastEventId = '';
  isEnded = false;
  private readonly decoder = new StringDecoder('utf8');
  private rest = '';
  private type = '';
  private data: string[] = [];

  private constructor(
    private readonly request: ClientRequest,
    private readonly response: IncomingMessage,
  ) {
    response.on('data', (chunk: Buffer) => this.take(this.decoder.write(chunk)));
    for (const event of ['end', 'error', 'close']) response.on(event, () => (this.isEnded = true));
    request.on('error', () => (this.isEnded = true));
    opened.add(this);
  }

  /** Resolves at the first bytes of the answer; each stream has its own connection. */
  static open(url: string, headers: Record<string, string>): Promise<EventStream> {
    return new Promise((resolve, reject) => {
      const request = get(url, { headers, agent: false }, (response) =>
        resolve(new EventStream(request, response)),
      );
      request.once('error', reject);
    });
  }

  get status(): number {
    return this.response.statusCode ?? 0;
  }

  get headers(): IncomingHttpHeaders {
    return this.response.headers;
  }

  /** Reads nothing from now on: all further bytes of the server wait in the sockets. */
  pause(): void {
    this.response.pause();
  }

  resume(): void {
    this.response.resume();
  }

  close(): void {
    this.request.destroy();
  }

  private take(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.takeLine(line.replace(/\r$/, ''));
  }

  private takeLine(line: string): void {
    if (line === '') return this.dispatch();
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (field === '') this.comments.push(value);
    else if (field === 'id') this.lastEventId = value;
    else if (field === 'event') this.type = value;
    else if (field === 'data') this.data.push(value);
    else if (field === 'retry') this.retryMs = Number(value);
  }

  private dispatch(): void {
    const { data, type } = this;
    this.data = [];
    this.type = '';
    if (data.length === 0) return;
    this.events.push({ id: this.lastEventId, type: type || 'message', data: data.join('\n') });
  }
}
