/**
 * The usual service: NestJS, TypeORM and axios, like in an article on polling and the outbox pattern. See
 * docs/inside/benchmarks.md.
 */
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import axios from 'axios';
import { DataSource } from 'typeorm';

import { answerParent } from '../../child.js';
import { AppModule } from './app.module.ts';
import { OutboxEventEntity } from './outbox-event.entity.ts';
import { PaymentEntity } from './payment.entity.ts';
import type { Settings } from './settings.ts';

const CHUNK = 500;

/** Stores payments with the reports that the provider has of them. */
async function load({ databaseUrl, providerUrl, intervalMs }: Settings, quoteIds: string[]): Promise<void> {
  const entities = [PaymentEntity, OutboxEventEntity];
  const source = new DataSource({ type: 'postgres', url: databaseUrl, entities, synchronize: true });
  await source.initialize();
  for (let done = 0; done < quoteIds.length; done += CHUNK) {
    const ids = quoteIds.slice(done, done + CHUNK);
    const answers = await Promise.all(ids.map((id) => axios.get(`${providerUrl}/api/status/${id}`)));
    const payments = answers.map(({ data: report }, index) => ({
      quoteId: ids[index] ?? '',
      status: report.status,
      report,
      nextPollAt: new Date(Date.now() + Math.random() * intervalMs),
    }));
    await source.getRepository(PaymentEntity).insert(payments);
  }
  await source.query('VACUUM ANALYZE');
  await source.destroy();
}

async function run(settings: Settings): Promise<void> {
  const app = await NestFactory.create(AppModule.for(settings), { logger: ['error', 'warn'] });
  await app.listen(0, '127.0.0.1');
}

answerParent('', async ({ load: quoteIds, settings }: { load?: string[]; settings: Settings }) => {
  if (quoteIds === undefined) await run(settings);
  else await load(settings, quoteIds);
  return {};
});
