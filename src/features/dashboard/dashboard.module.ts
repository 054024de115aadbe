import { fileURLToPath } from 'node:url';

import { type DynamicModule, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { PageFiles } from './page-files.ts';
import { PagesController } from './pages.controller.ts';

/** `npm run build` makes it: dist/dashboard, beside dist/features. */
const FOLDER = fileURLToPath(new URL('../../dashboard', import.meta.url));

/** The pages under /dashboard. */
@Module({})
export class DashboardModule {
  static with({ servesDashboard }: Config): DynamicModule {
    if (!servesDashboard) return { module: DashboardModule };
    return {
      module: DashboardModule,
      controllers: [PagesController],
      providers: [{ provide: PageFiles, useFactory: () => new PageFiles(FOLDER) }],
    };
  }
}
