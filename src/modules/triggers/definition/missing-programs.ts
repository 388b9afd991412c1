import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import type { Environment } from '../../../config/env-reader.js';
import type { AgentDefinition } from './definition.js';

/** A sentence for each agent whose program this user cannot start now. */
export function missingPrograms(agents: readonly AgentDefinition[], variables: Environment): string[] {
  return agents.flatMap((agent) => {
    const program = agent.command[0]!;
    const isPath = program.includes('/') || program.includes(path.sep);
    if (isPath) {
      const file = path.resolve(agent.workingDirectory, program);
      return isExecutable(file) ? [] : [`agents.${agent.name}.command: ${file} is no program that can be started`];
    }
    const folders = (agent.env.PATH ?? variables.PATH ?? '').split(path.delimiter);
    const isThere = folders.some((folder) => isExecutable(path.resolve(agent.workingDirectory, folder, program)));
    return isThere ? [] : [`agents.${agent.name}.command: ${program} is not in the PATH`];
  });
}

/** On Windows a program has one of several extensions. */
function isExecutable(file: string): boolean {
  const endings = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat', '.com'] : [''];
  return endings.some((ending) => {
    try {
      accessSync(file + ending, constants.X_OK);
      return statSync(file + ending).isFile();
    } catch {
      return false;
    }
  });
}
