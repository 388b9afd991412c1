import { unwatchFile, watchFile } from 'node:fs';
import type { Logger } from '../common/logger.js';
import { type Definition, DefinitionError, faultLine } from '../modules/triggers/definition/definition.js';

/** Looks at the file's times, not at the folder: that works in containers and on network drives, too. */
const LOOK_MS = 500;

export interface WatchOptions {
  file: string;
  logger: Logger;
  /** @throws DefinitionError */
  read(): Definition;
  /** @throws when the definition cannot be taken over; then the old one goes on */
  apply(definition: Definition): Promise<void>;
}

/** Takes over each changed definition, one after the other. A faulty one is told, and the old one goes on. Returns the end of it. */
export function watchDefinition({ file, logger, read, apply }: WatchOptions): () => Promise<void> {
  let work = Promise.resolve();
  const takeOver = async () => {
    try {
      const definition = read();
      await apply(definition);
      const { agents, triggers, warnings } = definition;
      logger.info({ file, agents: agents.length, triggers: triggers.length }, 'definition taken over');
      for (const warning of warnings) logger.warn({ file }, warning);
    } catch (error) {
      const faults = error instanceof DefinitionError ? error.faults.map(faultLine) : [String(error)];
      logger.warn({ file, faults }, 'changed definition cannot be used; the old one goes on');
    }
  };
  const onChange = () => void (work = work.then(takeOver));
  watchFile(file, { interval: LOOK_MS, persistent: false }, onChange);
  return () => {
    unwatchFile(file, onChange);
    return work;
  };
}
