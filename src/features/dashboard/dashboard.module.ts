import { fileURLToPath } from 'node:url';

import { type DynamicModule, Global, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { DashboardPage } from '../../platform/http/dashboard-page.ts';
import { PageAnswer } from './page-answer.ts';
import { PageFiles } from './page-files.ts';
import { PagesController } from './pages.controller.ts';

/** The folder that `npm run build` makes: dist/dashboard, beside dist/features. */
const FOLDER = fileURLToPath(new URL('../../dashboard', import.meta.url));

/** The dashboard's pages under /dashboard. */
@Global()
@Module({})
export class DashboardModule {
  static with({ servesDashboard }: Config): DynamicModule {
    if (!servesDashboard) return { module: DashboardModule };
    return {
      module: DashboardModule,
      controllers: [PagesController],
      providers: [
        { provide: PageFiles, useFactory: () => new PageFiles(FOLDER) },
        { provide: DashboardPage, useClass: PageAnswer },
      ],
      exports: [DashboardPage],
    };
  }
}
