import { connect } from 'node:net';

const ANSWER_TIMEOUT_MS = 3_000;
/** The first bytes of a client of AMQP 0-9-1; a broker that serves answers them with `connection.start`. */
const PROTOCOL_HEADER = Buffer.from([...Buffer.from('AMQP'), 0, 0, 9, 1]);

/** True if a broker serves AMQP at this port of 127.0.0.1. A broker listens once its users and queues exist. */
export function speaksAmqp(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(PROTOCOL_HEADER));
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => end(false));
    // A method's frame begins with 1; a broker that refuses answers with its own header.
    socket.once('data', (chunk) => end(chunk[0] === 1));
    for (const event of ['error', 'close']) socket.once(event, () => end(false));
  });
}
