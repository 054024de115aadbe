import type { Destination } from './deliveries.ts';

/** The destinations that this process delivers to. */
export class Destinations {
  constructor(readonly all: readonly Destination[]) {}
}
