import { type DynamicModule, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { AttentionController } from './attention.controller.ts';

/** Answers what needs a person. */
@Module({})
export class AttentionModule {
  static with({ roles }: Config): DynamicModule {
    return { module: AttentionModule, controllers: roles.has('api') ? [AttentionController] : [] };
  }
}
