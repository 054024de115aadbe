import './platform/process/check-node.js';
import { load } from './platform/process/load-program.ts';

// Not before the check: the other modules fail to load in a Node that is too old.
await load(async () => {
  const [{ serve }, { AppModule }] = await Promise.all([
    import('./platform/process/serve.ts'),
    import('./app.module.ts'),
  ]);
  await serve(AppModule);
});
