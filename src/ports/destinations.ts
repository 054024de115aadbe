import type { Destination } from './deliveries.ts';

/** The destinations to which this process delivers. */
export class Destinations {
  constructor(readonly all: readonly Destination[]) {}
}
