import { InvalidArgumentError, Option, type Command } from 'commander';
import { ENGINES } from './containers/engine.js';
import { parsePortRequest, type PortRequest } from './containers/port-map.js';
import type { RunOptions } from './containers/run-container.js';
import type { Terminal } from './terminal.js';

/** `waystation run`. */
export function addRunCommand(program: Command, terminal: Terminal): void {
  program
    .command('run')
    .description('run the agents of a definition file in a container')
    .argument('<file>', 'definition file, YAML or JSON; its folder is mounted read-only')
    .addOption(engineOption())
    .option(
      '--host-port <port>',
      'maps a port: 9100=9300 for port 9100 of the container and 9300 of this machine, 9300 if it has only one; repeatable',
      collectPort,
    )
    .option('--replace', 'stop the container that already runs this file')
    .option('--json', 'print JSON')
    .action(async (file: string, options: RunOptions) => {
      const { runInContainer } = await import('./containers/run-container.js');
      await runInContainer(file, options, terminal);
    });
}

/** `waystation image`. */
export function addImageCommand(program: Command, terminal: Terminal): void {
  program
    .command('image')
    .summary('build the image for `run`, and print its name')
    .description(
      'build the image for `waystation run` if it is missing, and print its name; begin the Dockerfile of your own `image` with FROM that name',
    )
    .addOption(engineOption())
    .option('--json', 'print JSON')
    .action(async ({ engine, json }: RunOptions) => {
      const { printImage } = await import('./containers/agent-image.js');
      await printImage({ engine, json }, terminal);
    });
}

export function engineOption(): Option {
  return new Option('--engine <name>', 'container engine to use; default: the first that works').choices(ENGINES);
}

function collectPort(text: string, before: PortRequest[] = []): PortRequest[] {
  const wish = parsePortRequest(text);
  if (wish === null) throw new InvalidArgumentError('It must be like 9100=9300, ports from 1 to 65535.');
  return [...before, wish];
}
