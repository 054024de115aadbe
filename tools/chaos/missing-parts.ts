import { TOOLS } from '../testkit/machine-tools.js';
import type { ChaosOptions } from './options.ts';

/** A machine without a part runs only if the options leave out the faults of that part. */
export function missingParts({ without }: ChaosOptions): string[] {
  const postgres =
    TOOLS.postgresql.find() === null ? ['PostgreSQL is missing: install the package postgresql'] : [];
  const clocks =
    without.has('clocks') || TOOLS.faketime.find() !== null
      ? []
      : [
          'libfaketime is missing: install the package faketime, or leave out clock steps with --without clocks',
        ];
  const broker =
    without.has('broker') || TOOLS.rabbitmq.find() !== null
      ? []
      : ['rabbitmq-server is missing: install its package, or leave out RabbitMQ with --without broker'];
  const logs =
    without.has('logs') || TOOLS.root.find() !== null
      ? []
      : [
          'full log disks are small file systems, which root may mount: run it as root, or leave them out with --without logs',
        ];
  return [...postgres, ...clocks, ...broker, ...logs];
}
