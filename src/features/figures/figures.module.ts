import { randomUUID } from 'node:crypto';

import { type DynamicModule, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { VERSION } from '../../platform/process/version.ts';
import { ThisReplica } from '../../ports/replicas.ts';
import { FigureWriter } from './figure-writer.ts';
import { FiguresController } from './figures.controller.ts';

/** Writes what this process counts once a minute, and answers what all replicas have written. */
@Module({})
export class FiguresModule {
  static with(config: Config): DynamicModule {
    const replica = new ThisReplica(randomUUID(), [...config.roles], VERSION);
    return {
      module: FiguresModule,
      controllers: config.roles.has('api') ? [FiguresController] : [],
      providers: [{ provide: ThisReplica, useValue: replica }, FigureWriter],
    };
  }
}
