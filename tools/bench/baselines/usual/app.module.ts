import { type DynamicModule, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { TypeOrmModule } from '@nestjs/typeorm';

import { OutboxEventEntity } from './outbox-event.entity.ts';
import { OutboxService } from './outbox.service.ts';
import { PaymentEntity } from './payment.entity.ts';
import { PollingService } from './polling.service.ts';
import { Settings } from './settings.ts';

@Module({})
export class AppModule {
  static for(settings: Settings): DynamicModule {
    const entities = [PaymentEntity, OutboxEventEntity];
    const database = TypeOrmModule.forRoot({ type: 'postgres', url: settings.databaseUrl, entities });
    return {
      module: AppModule,
      imports: [ScheduleModule.forRoot(), database],
      providers: [{ provide: Settings, useValue: settings }, PollingService, OutboxService],
    };
  }
}
