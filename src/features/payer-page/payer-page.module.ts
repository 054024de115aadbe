import { type DynamicModule, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { PayerAccess } from './payer-access.ts';
import { PayerGate, PayerPageSettings } from './payer-gate.ts';
import { PayerLinksController } from './payer-links.controller.ts';
import { PayerPageController } from './payer-page.controller.ts';

/** Payers' links, which need a key to be created, and none to be read. */
@Module({})
export class PayerPageModule {
  static with({ roles, publicOrigins }: Config): DynamicModule {
    const isPublic = roles.has('public');
    return {
      module: PayerPageModule,
      controllers: [
        ...(roles.has('api') ? [PayerLinksController] : []),
        ...(isPublic ? [PayerPageController] : []),
      ],
      providers: isPublic
        ? [
            { provide: PayerPageSettings, useValue: new PayerPageSettings(publicOrigins) },
            PayerGate,
            PayerAccess,
          ]
        : [],
    };
  }
}
