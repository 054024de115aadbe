import './platform/process/check-node.js';
import { loadProgram } from './platform/process/load-program.ts';

// Not before the check: the other modules fail to load in a Node that is too old.
await loadProgram(async () => {
  const [{ serve }, { AppModule }] = await Promise.all([
    import('./platform/process/serve.ts'),
    import('./app.module.ts'),
  ]);
  await serve(AppModule);
});
