/** Ends with 1 where test/ has more than MOST lines for each line of src/: a rule is tested once, at its lowest level. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const MOST = 1.3;

/** @param {string[]} paths As git takes them. */
function linesOf(...paths) {
  const files = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', ...paths],
    {
      encoding: 'utf8',
    },
  ).split('\0');
  return files
    .filter((file) => file !== '')
    .reduce((sum, file) => sum + readFileSync(file, 'utf8').split('\n').length - 1, 0);
}

const [tests, sources] = [linesOf('test'), linesOf('src/**.ts', 'src/**.sql')];
const counted = `test/ has ${tests} lines, src/ ${sources}: ${(tests / sources).toFixed(2)}`;
if (tests > MOST * sources) {
  console.error(`${counted}, at most ${MOST}. Where is a rule tested twice? See "Tests" in CONTRIBUTING.md.`);
  process.exitCode = 1;
}
