import { type DynamicModule, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { FigureWriter } from './figure-writer.ts';
import { FiguresController } from './figures.controller.ts';

/** Writes this process's counts, and returns those of all replicas. */
@Module({})
export class FiguresModule {
  static with(config: Config): DynamicModule {
    return {
      module: FiguresModule,
      controllers: config.roles.has('api') ? [FiguresController] : [],
      providers: [FigureWriter],
    };
  }
}
