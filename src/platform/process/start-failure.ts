import { DataDirInUse, EmbeddedPostgresFailed } from '../embedded-postgres/embedded-failed.ts';
import { KeyFileFailed } from './encryption-key.ts';

/** Their messages say what is wrong and what to do. */
const REPORTED = [EmbeddedPostgresFailed, DataDirInUse, KeyFileFailed] as const;

const LISTEN_FAILURES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there; set PORT to a free one',
  EACCES: 'this user may not listen there; set PORT to one above 1023',
  EADDRNOTAVAIL: 'this machine has no such address; set HOST to one it has',
};

interface Address {
  readonly host: string;
  readonly port: number;
}

/** One sentence for a start that failed for a reason of its surroundings; null for a fault of Paybell's own. */
export function startFailure(error: unknown, { host, port }: Address): string | null {
  if (REPORTED.some((kind) => error instanceof kind)) return (error as Error).message;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'getaddrinfo')
    return `Paybell can't listen on ${host}: this name is not known here; set HOST to an address of this machine`;
  if (syscall !== 'listen') return null;
  return `Paybell can't listen on ${host}:${port}: ${LISTEN_FAILURES[code ?? ''] ?? code}`;
}
