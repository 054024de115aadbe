import { HttpReceiver, type ReceivedRequest } from '../../tools/testkit/http-receiver.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: it begins its trace. */
  readonly parentId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** The span's id in the form of a traceparent without version and flags. */
  readonly links: readonly string[];
}

type Fields = ReadonlyMap<number, readonly (Buffer | bigint)[]>;

/** A collector that takes OTLP over HTTP in protobuf, and keeps every span. */
export class OtlpReceiver {
  private constructor(private readonly http: HttpReceiver) {}

  static async start(status = 200): Promise<OtlpReceiver> {
    return new OtlpReceiver(await HttpReceiver.start(() => ({ status, body: '' })));
  }

  get url(): string {
    return this.http.url;
  }

  get requests(): readonly ReceivedRequest[] {
    return this.http.requests;
  }

  get spans(): ReceivedSpan[] {
    return this.http.requests.flatMap(({ body }) => spansOf(body));
  }

  /** The spans about a payment, once `count` spans have this name. */
  async about(quoteId: string, name: string, count: number): Promise<ReceivedSpan[]> {
    const found = (): ReceivedSpan[] =>
      this.spans.filter((span) => span.name === name && span.attributes['paybell.quote_id'] === quoteId);
    await waitFor(() => found().length >= count, { what: `${count} spans ${name}` });
    return found();
  }

  close(): Promise<void> {
    return this.http.close();
  }
}

/** The field numbers come from opentelemetry/proto/trace/v1/trace.proto. */
function spansOf(request: Buffer): ReceivedSpan[] {
  return messagesOf(fieldsOf(request), 1).flatMap((resourceSpans) => {
    const [resource] = messagesOf(resourceSpans, 1);
    const service = String(attributesOf(resource ?? new Map(), 1)['service.name']);
    return messagesOf(resourceSpans, 2).flatMap((scope) =>
      messagesOf(scope, 2).map((span) => ({
        service,
        traceId: bytesOf(span, 1).toString('hex'),
        spanId: bytesOf(span, 2).toString('hex'),
        parentId: bytesOf(span, 4).toString('hex'),
        name: bytesOf(span, 5).toString('utf8'),
        attributes: attributesOf(span, 9),
        links: messagesOf(span, 13).map(
          (link) => `${bytesOf(link, 1).toString('hex')}-${bytesOf(link, 2).toString('hex')}`,
        ),
      })),
    );
  });
}

function attributesOf(message: Fields, number: number): Record<string, string | number> {
  const pairs = messagesOf(message, number).map((pair) => {
    const [value = new Map() as Fields] = messagesOf(pair, 2);
    const int = value.get(3)?.[0];
    return [
      bytesOf(pair, 1).toString('utf8'),
      int === undefined ? bytesOf(value, 1).toString('utf8') : Number(int),
    ];
  });
  return Object.fromEntries(pairs) as Record<string, string | number>;
}

function messagesOf(fields: Fields, number: number): Fields[] {
  return (fields.get(number) ?? []).map((value) => fieldsOf(value as Buffer));
}

function bytesOf(fields: Fields, number: number): Buffer {
  return (fields.get(number)?.[0] ?? Buffer.alloc(0)) as Buffer;
}

/** The fields of a protobuf message by number: varints as numbers, all others as bytes. */
function fieldsOf(message: Buffer): Fields {
  const fields = new Map<number, (Buffer | bigint)[]>();
  let at = 0;
  const varint = (): bigint => {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const bytes = (length: number): Buffer => message.subarray(at, (at += length));
  while (at < message.length) {
    const key = Number(varint());
    const value = readValue(key & 7, varint, bytes);
    fields.set(key >> 3, [...(fields.get(key >> 3) ?? []), value]);
  }
  return fields;
}

function readValue(
  wireType: number,
  varint: () => bigint,
  bytes: (length: number) => Buffer,
): Buffer | bigint {
  if (wireType === 0) return varint();
  if (wireType === 2) return bytes(Number(varint()));
  return bytes(wireType === 1 ? 8 : 4);
}
