import { type DynamicModule, Global, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { OpenAttention } from '../../ports/attention.ts';
import { AttentionReader } from './attention-reader.ts';
import { AttentionView } from './attention-view.ts';
import { AttentionWatch } from './attention-watch.ts';
import { AttentionController } from './attention.controller.ts';
import { AttentionSettings } from './attention.settings.ts';
import { OperationalSender } from './operational-sender.ts';

/** Returns the items that need a person, and reports them to endpoints that ask for operational events. */
@Global()
@Module({})
export class AttentionModule {
  static with({ roles, eventSource, publicUrl }: Config): DynamicModule {
    const settings = new AttentionSettings(eventSource, `${publicUrl ?? ''}/dashboard`);
    return {
      module: AttentionModule,
      controllers: roles.has('api') ? [AttentionController] : [],
      providers: [
        AttentionReader,
        AttentionView,
        { provide: OpenAttention, useExisting: AttentionView },
        { provide: AttentionSettings, useValue: settings },
        ...(roles.has('dispatcher') ? [AttentionWatch, OperationalSender] : []),
      ],
      exports: [OpenAttention],
    };
  }
}
