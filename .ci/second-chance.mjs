/**
 * Runs the files of failed tests once more, one after the other, on the machine that is quiet by then. What a browser, a container
 * engine or a child process does on a busy machine can fail once without a fault of the program; one such failure in 8,000 tests
 * should not refuse a change. It is still a bug of the test: the last lines name each one, to be mended.
 *
 * No second chance for tests of races, crashes and random sequences (one failure in a hundred runs is what they look for), for tests
 * that need no other process, and when so many files failed that chance explains nothing.
 *
 * Use: `second-chance.mjs SCRIPT RESULTS`: the npm script of the first run, and Jest's JSON of it. Ends with 0 when all passed now.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const MOST_FILES = 3;
const WITH_PROCESSES = /^test\/(e2e|medium)\//;
const SEARCHES =
  /race|crash|concurren|kill|instances|model|sequences|fuzz|hostile|any-request|soak|memory|large|effects|leases|cancel|security|stream-tokens/;

const [script, results] = process.argv.slice(2);
const failed = JSON.parse(readFileSync(results, 'utf8'))
  .testResults.filter(({ status }) => status === 'failed')
  .map(({ name, assertionResults }) => ({
    file: relative(process.cwd(), name),
    tests: assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
  }));
const files = [...new Set(failed.map(({ file }) => file))];
const final = files.filter((file) => !WITH_PROCESSES.test(file) || SEARCHES.test(file));

if (files.length === 0 || files.length > MOST_FILES || final.length > 0) {
  console.error(`No second chance: ${final.join(', ') || `${files.length} files failed`}.`);
  process.exit(1);
}
const { status } = spawnSync('npm', ['run', '--silent', script, '--', ...files, '--runInBand'], { stdio: 'inherit' });
if (status !== 0) process.exit(1);
console.log('\nFailed once and passed in a second run; mend these tests:');
for (const { file, tests } of failed) console.log(`- ${file}: ${tests.join('; ') || 'did not run'}`);
