// Comes first: a signal may arrive while the rest is being loaded.
import './platform/process/signals.ts';
import './platform/process/check-node.js';
import { loadProgram } from './platform/process/load-program.ts';

// Comes after the check: the other modules fail to load in a Node that is too old.
await loadProgram(async () => {
  const { configOrExit } = await import('./platform/process/config-or-exit.ts');
  const { PROVIDERS } = await import('./providers/registered-providers.ts');
  // Comes before the libraries, whose loading takes most of a start's processor time: an invalid setting ends the process at
  // once.
  const config = configOrExit(PROVIDERS);
  const [{ serve }, { AppModule }] = await Promise.all([
    import('./platform/process/serve.ts'),
    import('./app.module.ts'),
  ]);
  await serve(config, AppModule);
});
