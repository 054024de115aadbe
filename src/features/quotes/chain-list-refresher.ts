import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';

import { Loop } from '../../platform/scheduling/loop.ts';
import { ChainList } from './chain-list.ts';

/** Keeps the list of chains fresh from the start on, so that a provider in trouble is known before anybody needs it. */
@Injectable()
export class ChainListRefresher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly loop: Loop;

  constructor(private readonly chains: ChainList) {
    this.loop = new Loop('The list of chains', chains.readRequested, () => chains.refresh());
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  /** Does not wait for the provider: nothing of its answer would be kept. */
  beforeApplicationShutdown(): void {
    this.chains.stop();
    void this.loop.stop();
  }
}
