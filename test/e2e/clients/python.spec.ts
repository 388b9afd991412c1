import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { untested } from '../../support/clients/installed-client.js';
import { PythonTests } from '../../support/clients/python-tests.js';
import { foundPythons, pythonWith } from '../../support/clients/python-with.js';
import { useServer } from '../../support/test-server.js';

const PROJECT = path.resolve(import.meta.dirname, '../../..');
const FOLDER = path.join(PROJECT, 'clients/python');
const run = promisify(execFile);

const found = foundPythons('3.9');
/** The oldest and the newest on this machine. */
const pythons = [...new Set([found.at(0), found.at(-1)])].flatMap((python) => (python ? [python] : []));
const suites = pythons.map((python) => ({ python, tests: new PythonTests('python', python) }));
const names = suites[0]?.tests.names() ?? [];
const server = useServer();

beforeAll(async () => {
  const env = {
    WAYSTATION_TEST_URL: server.api.baseUrl,
    WAYSTATION_TEST_TOKEN: server.api.token,
    WAYSTATION_TEST_SERVER: `'${process.execPath}' '${path.join(PROJECT, 'dist/cli.js')}' serve`,
  };
  await Promise.all(suites.map(({ tests }) => tests.run(env)));
});

describe.each(suites)('The Python client, in Python $python.version', ({ tests }) => {
  it.each(names)('%s', (name) => tests.check(name));
});

describe('The Python client', () => {
  it('is tested in Python 3.9 and in a later one', () => {
    if (pythons.at(0)?.version !== '3.9') {
      process.stderr.write(
        `\n!!! NOT TESTED: clients/python in Python 3.9: found ${found.map((one) => one.version).join(', ')}\n\n`,
      );
    }
    if (pythons.length === 0) untested('clients/python', 'there is no Python 3.9 or later');
  });

  it('has no syntax that Python 3.9 lacks', async () => {
    if (pythons.length === 0) return untested('the syntax of clients/python', 'there is no Python');
    const code = [
      'import ast, pathlib, sys',
      'for path in pathlib.Path(sys.argv[1]).rglob("*.py"): ast.parse(path.read_text("utf8"), str(path), feature_version=(3, 9))',
    ];
    await run(pythons.at(-1)!.path, ['-c', code.join('\n'), FOLDER]);
  });

  it('has the types of mypy --strict, and nothing that ruff finds', async () => {
    const tools = pythonWith(['mypy', 'ruff']);
    if ('reason' in tools) return untested('the types of clients/python', tools.reason);
    const checks = [
      run(tools.program('mypy'), ['--strict', '--no-incremental'], { cwd: FOLDER }),
      run(tools.program('ruff'), ['check', '--no-cache', '.'], { cwd: FOLDER }),
      run(tools.program('ruff'), ['format', '--no-cache', '--check', '.'], { cwd: FOLDER }),
    ];
    for (const check of await Promise.allSettled(checks)) {
      if (check.status === 'rejected') throw new Error(String((check.reason as { stdout?: string }).stdout));
    }
  });
});
