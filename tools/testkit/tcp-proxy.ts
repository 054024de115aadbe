import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** Enough for the requests of a client that waits for their answers, however long the proxy is frozen. */
const HELD_BYTES = 1_048_576;

/** A connection: the client's bytes go through `toFar`, the service's through `toNear`. */
interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  readonly toFar: Transform;
  readonly toNear: Transform;
}

/** Sees the bytes of one side as they arrive at the proxy, before a fault holds them back. */
export type Tap = (chunk: Buffer) => void;

/** A TCP proxy in front of a real service, to cut, freeze, slow down and heal the connections to it. */
export class TcpProxy {
  private readonly pairs = new Set<Pair>();
  private readonly abandoned = new WeakSet<Pair>();
  private readonly server: Server;
  private isCut = false;
  private isFrozen = false;
  private delayMs = 0;
  /** Make a tap for each connection. */
  private newTap: (() => Tap) | null = null;
  private newAnswerTap: (() => Tap) | null = null;
  /** How many connections were ever accepted. */
  accepted = 0;

  private constructor(
    private readonly targetHost: string,
    private targetPort: number,
  ) {
    // Half-open on both sides: `thaw` decides when the end of one side reaches the other.
    this.server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.onConnection(socket));
  }

  static async start(target: { host?: string; port: number }): Promise<TcpProxy> {
    const proxy = new TcpProxy(target.host ?? '127.0.0.1', target.port);
    await new Promise<void>((resolve, reject) => {
      proxy.server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  /** Opens a proxy in front of the service that `url` names. */
  static async inFrontOf(url: string, defaultPort: number): Promise<TcpProxy> {
    const { hostname, port } = new URL(url);
    return TcpProxy.start({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || defaultPort) });
  }

  get host(): string {
    return '127.0.0.1';
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** How many connections are open now. */
  get open(): number {
    return this.pairs.size;
  }

  /** `url` with its host and port replaced by the proxy's. */
  through(url: string): string {
    const changed = new URL(url);
    changed.hostname = this.host;
    changed.port = String(this.port);
    return changed.href;
  }

  /** Gives every later connection a tap of its own on the client's bytes. */
  tap(newTap: () => Tap): void {
    this.newTap = newTap;
  }

  /** Gives every later connection a tap of its own on the service's bytes. */
  tapAnswers(newTap: () => Tap): void {
    this.newAnswerTap = newTap;
  }

  /** Sends new connections to this port, to which the service has moved. */
  retarget(port: number): void {
    this.targetPort = port;
  }

  /** Delays each piece of bytes by this time, in both directions and in order; `heal` ends it. */
  slow(delayMs: number): void {
    this.delayMs = delayMs;
  }

  /** Resets all present and new connections. */
  cut(): void {
    this.isCut = true;
    this.resetAll();
  }

  /** Ends `cut`, `freeze` and `slow`: new connections pass again. */
  heal(): void {
    this.isCut = false;
    this.delayMs = 0;
    this.thaw();
  }

  /** Resets every open connection once; new connections pass. */
  resetAll(): void {
    for (const { near, far } of this.pairs) for (const socket of [near, far]) socket.resetAndDestroy();
  }

  /** Forwards nothing more on the open connections, and tells neither side; new connections pass. */
  abandonAll(): void {
    for (const pair of this.pairs) {
      this.abandoned.add(pair);
      this.part(pair);
    }
  }

  /** Forwards nothing more, and tells neither side; new connections are accepted and not served. */
  freeze(): void {
    this.isFrozen = true;
    for (const pair of this.pairs) this.part(pair);
  }

  thaw(): void {
    // Without this check a connection would be joined twice, and its bytes doubled.
    if (!this.isFrozen) return;
    this.isFrozen = false;
    for (const pair of this.pairs) if (!this.abandoned.has(pair)) this.join(pair);
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.cut();
    await closed;
  }

  private onConnection(near: Socket): void {
    near.on('error', () => undefined);
    if (this.isCut) {
      near.resetAndDestroy();
      return;
    }
    this.accepted += 1;
    const far = connect({ host: this.targetHost, port: this.targetPort, allowHalfOpen: true, noDelay: true });
    far.on('error', () => near.resetAndDestroy());
    const [toFar, toNear] = [this.delayed(this.newTap?.()), this.delayed(this.newAnswerTap?.())];
    const pair = { near, far, toFar, toNear };
    this.pairs.add(pair);
    near.once('close', () => this.forget(pair, far));
    far.once('close', () => this.forget(pair, near));
    near.pipe(pair.toFar);
    far.pipe(pair.toNear);
    if (!this.isFrozen) this.join(pair);
  }

  private delayed(tap?: Tap): Transform {
    return new Transform({
      highWaterMark: HELD_BYTES,
      transform: (chunk: Buffer, _encoding, done) => {
        tap?.(chunk);
        if (this.delayMs === 0) done(null, chunk);
        else setTimeout(done, this.delayMs, null, chunk);
      },
    });
  }

  private part({ near, far, toFar, toNear }: Pair): void {
    toFar.unpipe(far);
    toNear.unpipe(near);
  }

  private join({ near, far, toFar, toNear }: Pair): void {
    toFar.pipe(far);
    toNear.pipe(near);
  }

  private forget(pair: Pair, other: Socket): void {
    this.pairs.delete(pair);
    other.destroy();
  }
}
