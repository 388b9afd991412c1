/**
 * Reruns failed test files one at a time, now that the machine is quiet. On a busy machine, a test that needs a browser, a container
 * engine or a child process can fail although the program is right; one such failure in 8,000 tests should not block a change. It is
 * still a bug in the test, so the last lines name each one.
 *
 * There is no second run for tests of races, crashes and random sequences (they look for the one failure in a hundred runs), for tests
 * without other processes, or if too many files failed for it to be chance.
 *
 * Usage: `second-chance.mjs SCRIPT RESULTS`: the npm script of the first run, and its JSON from Jest. Exits with 0 if everything passes.
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
  console.error(`No second run: ${final.join(', ') || `${files.length} files failed`}.`);
  process.exit(1);
}
const { status } = spawnSync('npm', ['run', '--silent', script, '--', ...files, '--runInBand'], { stdio: 'inherit' });
if (status !== 0) process.exit(1);
console.log('\nFailed once, passed in a second run. Fix these tests:');
for (const { file, tests } of failed) console.log(`- ${file}: ${tests.join('; ') || 'did not run'}`);
