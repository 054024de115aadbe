import { type DynamicModule, Global, Module } from '@nestjs/common';

import { ApiDescription } from './api-description.ts';
import { DocsController } from './docs.controller.ts';
import { OpenPaths } from './open-paths.ts';
import type { OpenSetting } from './open-route.ts';
import { PublicOrigin } from './public-origin.ts';

type Access = 'open' | 'key' | 'off';

/** The API's description, the list of paths without an API key, and the origin of the pages. */
@Global()
@Module({})
export class HttpModule {
  static with(
    access: Readonly<Record<OpenSetting, Access>>,
    isApi: boolean,
    publicUrl: string | null,
  ): DynamicModule {
    const open = (['metrics', 'docs'] as const).filter((name) => access[name] === 'open');
    return {
      module: HttpModule,
      controllers: isApi && access.docs !== 'off' ? [DocsController] : [],
      providers: [
        ApiDescription,
        { provide: OpenPaths, useValue: new OpenPaths(new Set(open)) },
        { provide: PublicOrigin, useValue: new PublicOrigin(publicUrl) },
      ],
      exports: [ApiDescription, OpenPaths, PublicOrigin],
    };
  }
}
