import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';

import { Loop } from '../../platform/scheduling/loop.ts';
import { ChainLists } from './chain-lists.ts';

/** Refreshes the lists of chains from the start on, so that Paybell notices a failing provider before the first request. */
@Injectable()
export class ChainListRefresher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly loops: readonly Loop[];

  constructor(private readonly chains: ChainLists) {
    this.loops = chains.all.map(
      (list) => new Loop(`the list of chains of ${list.provider}`, list.readRequested, () => list.refresh()),
    );
  }

  onApplicationBootstrap(): void {
    for (const loop of this.loops) loop.start();
  }

  /** Does not wait for the providers, since their answers would not be used. */
  beforeApplicationShutdown(): void {
    for (const list of this.chains.all) list.stop();
    for (const loop of this.loops) void loop.stop();
  }
}
