import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';

import type { SharedService } from '../../support/shared-process.ts';
import { asking, CLI, runCli } from '../../support/cli.ts';
import { describeWith } from '../../support/describe-with.ts';
import { Stage } from '../../support/stage.ts';
import { HttpReceiver } from '../../../tools/testkit/http-receiver.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';

const CTRL_C = '\u0003';
const HIDE_CURSOR = '\u001b[?25l';
const CLEAR_LINE = '\r\u001b[K';

const started = new Set<ChildProcess>();

/** The command line on a pseudo-terminal, as a person has it; `script` is in Debian's bsdutils and bsdextrautils. */
class TerminalSession {
  output = '';
  private readonly child;
  private readonly ended: Promise<number | null>;

  constructor(file: string, words: readonly string[], env: Readonly<Record<string, string>>) {
    // Without exec, Ctrl-C would end the shell in between too.
    const command = ['exec', process.execPath, CLI, ...words].join(' ');
    this.child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, file], {
      env: { PATH: process.env['PATH'], SHELL: '/bin/sh', TERM: 'xterm-256color', ...env },
    });
    this.child.stdout.setEncoding('utf8').on('data', (part: string) => (this.output += part));
    this.child.stdin.on('error', () => undefined);
    this.ended = new Promise((resolve) => this.child.once('close', (code) => resolve(code)));
    started.add(this.child);
  }

  press(key: string): void {
    this.child.stdin.write(key);
  }

  /** Answers the exit status of the command. */
  async whenEnded(): Promise<number | null> {
    const code = await this.ended;
    started.delete(this.child);
    return code;
  }
}

let stage: Stage;
let app: SharedService;
let folder: string;
let sessions = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paybell-terminal-'));
  stage = await Stage.open();
  app = await stage.startWarm();
});
afterEach(() => {
  for (const child of started) child.kill('SIGKILL');
  started.clear();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function open(words: readonly string[], more: Readonly<Record<string, string>> = {}): TerminalSession {
  return new TerminalSession(join(folder, `session-${++sessions}`), words, { ...asking(app), ...more });
}

describeWith('script', 'paybell on a terminal', () => {
  it('shows a table with a bold heading', async () => {
    const quoteId = await stage.quote(app);
    const coloured = open(['payments', 'list']);
    expect(await coloured.whenEnded()).toBe(0);
    expect(coloured.output).toMatch(/^\u001b\[1mQUOTE ID .*\u001b\[22m\r\n/);
    expect(coloured.output).toMatch(new RegExp(`^${quoteId} .*AWAITING_DEPOSIT`, 'm'));
  });

  it('shows local times with their zone, and colours what needs a look', async () => {
    const quoteId = await stage.quote(app);
    const shown = open(['payments', 'show', quoteId], { TZ: 'Asia/Tokyo' });
    expect(await shown.whenEnded()).toBe(0);
    expect(shown.output).toMatch(
      /^\u001b\[1mcreated +\u001b\[22m +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d GMT\+9\r$/m,
    );
    const keys = open(['endpoints', 'list']);
    await keys.whenEnded();
    expect(keys.output).not.toMatch(/\d\dZ/);
  });

  it('asks whether to send what an endpoint was not sent', async () => {
    const body = { url: `${stage.shop.url}/asked` };
    const made = await app.fetch('/api/webhook-endpoints', { method: 'POST', body });
    const { id } = (await made.json()) as { id: string };
    await app.fetch(`/api/webhook-endpoints/${id}`, { method: 'PATCH', body: { enabled: false } });
    await stage.quote(app);
    const enable = open(['endpoints', 'enable', id]);
    await waitFor(() =>
      enable.output.includes('It was not sent 1 event while it was disabled. Send them? [y/N]'),
    );
    enable.press('y\n');
    expect(await enable.whenEnded()).toBe(0);
    expect(enable.output).toMatch(/sends again.* 1 event/);
    const kept = open(['endpoints', 'delete', id]);
    await waitFor(() => kept.output.includes('[y/N]'));
    kept.press('n\n');
    expect(await kept.whenEnded()).toBe(0);
    expect(kept.output).toContain('It is kept.');
  });

  it('shows the outcomes of the doctor in colours', async () => {
    const doctor = open(['doctor'], { DATA_DIR: '/nonexistent/paybell' });
    expect(await doctor.whenEnded()).toBe(0);
    expect(doctor.output).toMatch(/^\u001b\[32mok +\u001b\[39m +key /m);
  });

  it('shows how far long work is, and takes the line away when it is done', async () => {
    const reconcile = open(['reconcile', '--since', '1h', '--all']);
    await reconcile.whenEnded();
    expect(reconcile.output).toContain(`${CLEAR_LINE}Payments: 0`);
    expect(reconcile.output).toContain(`${CLEAR_LINE}Payments: 1`);
    expect(reconcile.output.split(CLEAR_LINE).at(-1)).not.toContain('Payments:');
    const dumb = open(['reconcile', '--since', '1h', '--all'], { TERM: 'dumb' });
    await dumb.whenEnded();
    expect(dumb.output).toMatch(/^QUOTE ID /);
    expect(dumb.output).not.toContain('\u001b');
  });

  it('ends at Ctrl-C what is followed, with status 0', async () => {
    const tail = open(['events', 'tail']);
    await waitFor(
      async () => {
        if (!tail.output.includes('payment.created')) await stage.quote(app);
        return tail.output.includes('payment.created');
      },
      { everyMs: 200 },
    );
    tail.press(CTRL_C);
    expect(await tail.whenEnded()).toBe(0);
    expect(tail.output).not.toContain(HIDE_CURSOR);
    expect(tail.output).toMatch(/\n$/);
  });

  it('ends at Ctrl-C what takes long, with status 130, a clean line and a cursor', async () => {
    const silent = await HttpReceiver.start(({ path }) =>
      path === '/api/webhook-endpoints' ? { status: 200, body: '{"data":[]}' } : 'hang',
    );
    const reconcile = open(['reconcile', '--since', '1h'], { PAYBELL_URL: silent.url });
    await waitFor(() => silent.requests.length === 2 && reconcile.output.includes('Payments: 0'));
    reconcile.press(CTRL_C);
    expect(await reconcile.whenEnded()).toBe(130);
    expect(reconcile.output).toMatch(/\r\u001b\[KIt was stopped\.\r\n$/);
    expect(reconcile.output).not.toContain(HIDE_CURSOR);
    const doctor = open(['doctor'], { PAYBELL_URL: silent.url, DATA_DIR: '/nonexistent/paybell' });
    await waitFor(() => silent.requests.length === 3 && doctor.output.includes('Checks: 0'));
    doctor.press(CTRL_C);
    expect(await doctor.whenEnded()).toBe(130);
    expect(doctor.output).toMatch(/\r\u001b\[KIt was stopped\.\r\n$/);
    await silent.close();
  });
});

describeWith('bash', 'paybell completion bash', () => {
  it.each([
    ['', ['payments', 'doctor', 'completion']],
    ['pay', ['payments']],
    ['payments ', ['list', 'show', '--help']],
    ['payments list --und', ['--undelivered']],
    ['payments list --status EX', ['EXECUTING', 'EXPIRED']],
    ['payments list --all --sort ', ['oldest']],
    ['endpoints en', ['enable']],
    ['completion ', ['bash', 'zsh', 'fish']],
  ])('completes "paybell %s"', async (line, expected) => {
    const { code, stdout } = await runCli(['completion', 'bash'], {});
    expect(code).toBe(0);
    const words = ['paybell', ...line.split(' ')];
    const program = `${stdout}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_paybell; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const completed = spawnSync('bash', ['-c', program], { encoding: 'utf8' });
    expect(completed.stderr).toBe('');
    expect(completed.stdout.split('\n')).toEqual(expect.arrayContaining(expected));
  });

  it.each([
    ['zsh', /^#compdef paybell$/m, "'enable:Enable an endpoint."],
    ['fish', /^function __paybell_at$/m, "-f -a 'enable' -d 'Enable an endpoint."],
  ])('has the same words for %s, with what each does', async (shell, head, words) => {
    const { code, stdout } = await runCli(['completion', shell], {});
    expect([code, stdout.includes(words)]).toEqual([0, true]);
    expect(stdout).toMatch(head);
  });
});
