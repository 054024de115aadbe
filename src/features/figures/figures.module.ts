import { type DynamicModule, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { FigureWriter } from './figure-writer.ts';
import { FiguresController } from './figures.controller.ts';

/** Writes what this process counts, and answers what all replicas have written. */
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
