import type { Command } from 'commander';
import { loadConfig } from '../config/env.js';
import { CliError } from './cli-error.js';
import { printable } from './printable.js';
import type { Terminal } from './terminal.js';

interface DoctorOptions {
  json?: boolean;
  quick?: boolean;
}

const MARKS = { ok: 'ok     ', warning: 'WARNING', fault: 'FAULT  ' };

/** `waystation doctor`. */
export function addDoctorCommand(program: Command, terminal: Terminal): void {
  program
    .command('doctor')
    .description('check the server and what it needs; changes nothing')
    .option('--json', 'print JSON')
    .option('--quick', 'skip checks that read the whole storage')
    .action(async ({ json, quick }: DoctorOptions) => {
      const config = loadConfig();
      const { examine } = await import('../modules/health/doctor/doctor.js');
      const findings = await examine(config, { isQuick: quick === true, nowMs: Date.now() });
      if (json) terminal.print(JSON.stringify(findings, null, 2));
      for (const { level, check, message, remedy } of json ? [] : findings) {
        terminal.print(`${MARKS[level]}  ${check.padEnd(11)}  ${printable(message)}`);
        if (remedy !== null) terminal.print(`${' '.repeat(22)}${printable(remedy)}`);
      }
      const faults = findings.filter(({ level }) => level === 'fault');
      if (faults.length > 0) throw new CliError(`Action needed: ${faults.map(({ check }) => check).join(', ')}.`);
    });
}
