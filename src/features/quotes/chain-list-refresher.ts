import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';

import { Loop } from '../../platform/scheduling/loop.ts';
import { ChainList } from './chain-list.ts';

/** Refreshes the list of chains from the start on, so that Paybell notices a failing provider before the first request. */
@Injectable()
export class ChainListRefresher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly loop: Loop;

  constructor(private readonly chains: ChainList) {
    this.loop = new Loop('the list of chains', chains.readRequested, () => chains.refresh());
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  /** Does not wait for the provider, since its answer would not be used. */
  beforeApplicationShutdown(): void {
    this.chains.stop();
    void this.loop.stop();
  }
}
