import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface TcpReceiver {
  readonly port: number;
  readonly url: string;
  /** The number of connections accepted. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

/** A TCP server on loopback that passes each connection to `onSocket`: a receiver below HTTP. */
export async function startTcpReceiver(onSocket: (socket: Socket) => void): Promise<TcpReceiver> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}/`, connections: () => connections, close };
}
