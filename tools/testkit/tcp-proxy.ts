import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy in front of a real service, to cut, freeze and heal the connections to it. */
export class TcpProxy {
  private readonly pairs = new Set<readonly [Socket, Socket]>();
  private readonly abandoned = new WeakSet<readonly [Socket, Socket]>();
  private readonly server: Server;
  private isCut = false;
  private isFrozen = false;
  /** How many connections were ever accepted. */
  accepted = 0;

  private constructor(
    private readonly targetHost: string,
    private readonly targetPort: number,
  ) {
    // Half-open on both sides: an end is passed on only when `thaw` allows it.
    this.server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.onConnection(socket));
  }

  static async start(target: { host?: string; port: number }): Promise<TcpProxy> {
    const proxy = new TcpProxy(target.host ?? '127.0.0.1', target.port);
    await new Promise<void>((resolve, reject) => {
      proxy.server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  /** In front of the service that `url` names. */
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

  /** Resets every connection and every new one. */
  cut(): void {
    this.isCut = true;
    this.resetAll();
  }

  /** Ends `cut` and `freeze`: new connections go through again. */
  heal(): void {
    this.isCut = false;
    this.thaw();
  }

  /** Resets every open connection, once; new connections go through. */
  resetAll(): void {
    for (const pair of this.pairs) for (const socket of pair) socket.resetAndDestroy();
  }

  /** Forwards nothing more on the open connections and tells neither side; new connections go through. */
  abandonAll(): void {
    for (const pair of this.pairs) {
      this.abandoned.add(pair);
      this.part(pair);
    }
  }

  /** Forwards nothing more and tells neither side; new connections are accepted and not served. */
  freeze(): void {
    this.isFrozen = true;
    for (const pair of this.pairs) this.part(pair);
  }

  thaw(): void {
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
    const pair = [near, far] as const;
    this.pairs.add(pair);
    near.once('close', () => this.forget(pair, far));
    far.once('close', () => this.forget(pair, near));
    if (!this.isFrozen) this.join(pair);
  }

  private part([near, far]: readonly [Socket, Socket]): void {
    near.unpipe(far).pause();
    far.unpipe(near).pause();
  }

  private join([near, far]: readonly [Socket, Socket]): void {
    near.pipe(far);
    far.pipe(near);
  }

  private forget(pair: readonly [Socket, Socket], other: Socket): void {
    this.pairs.delete(pair);
    other.destroy();
  }
}
