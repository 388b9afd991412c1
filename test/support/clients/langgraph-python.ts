import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pythonWith, type PythonWith } from './python-with.js';

const MINUTES = 60_000;
const FOLDER = path.resolve(import.meta.dirname, '../../../clients/langgraph-python');
/** Pinned: later versions may have other types and methods. */
const LANGGRAPH = ['langgraph~=1.2.0', 'langgraph-checkpoint~=4.2.0'];
const SUITE = 'langgraph-checkpoint-conformance==0.0.2';
/** Tests that need it are skipped if it is not available. */
const LANGCHAIN = 'langchain~=1.4.0';

/** LangGraph with its suite; if that is not available, LangGraph with a stand-in for the types that it imports. */
export function langGraph(): PythonWith | { reason: string } {
  const folder = path.join(os.tmpdir(), `waystation-stand-in-${process.getuid?.() ?? ''}`);
  mkdirSync(folder, { recursive: true });
  // Without a virtual environment, which takes longer than finding out that the suite is not available.
  const probe = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--retries', '0', '--dest', folder, SUITE];
  if (spawnSync('python3', probe, { timeout: MINUTES }).status === 0) {
    const whole = pythonWith([...LANGGRAPH, LANGCHAIN, SUITE], '3.10');
    if (!('reason' in whole)) return whole;
  }
  spawnSync('python3', [path.join(FOLDER, 'tests/stand_in.py'), folder]);
  const withAgents = pythonWith([...LANGGRAPH, LANGCHAIN, '--find-links', folder], '3.10');
  return 'reason' in withAgents ? pythonWith([...LANGGRAPH, '--find-links', folder], '3.10') : withAgents;
}
