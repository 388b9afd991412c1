import { DomainError } from '../../../common/domain-error.js';
import type { AppConfig } from '../../../config/app-config.js';
import { openInspection, type Inspection } from '../../../database/inspection.js';
import { DoctorRepository } from './doctor.repository.js';
import { fault, fine, type Finding } from './finding.js';
import { checkMachine } from './machine-checks.js';
import {
  checkFile,
  checkInstances,
  checkNotices,
  checkPostgres,
  checkQueues,
  checkRows,
  checkSchema,
} from './storage-checks.js';

export interface Examination {
  /** Whether to skip checks that read the whole storage. */
  isQuick: boolean;
  /** This machine's time; servers on PostgreSQL use the database's. */
  nowMs: number;
}

/** Checks everything that a server needs, with or without a running server. Writes nothing. */
export async function examine(config: AppConfig, examination: Examination): Promise<Finding[]> {
  const findings = await checkMachine(config);
  let inspection: Inspection | null = null;
  try {
    inspection = await openInspection(config.database);
    if (inspection === null) findings.push(fine('database', 'There is none yet; the first start creates it.'));
    else findings.push(...(await checkStorage(inspection, config, examination)));
  } catch (error) {
    findings.push(unreachable(error, config));
  } finally {
    await inspection?.close();
  }
  return findings;
}

async function checkStorage(
  inspection: Inspection,
  { database }: AppConfig,
  { isQuick, nowMs: hereMs }: Examination,
): Promise<Finding[]> {
  const storage = await DoctorRepository.open(inspection);
  const nowMs = storage.dialect === 'postgres' ? await storage.nowMs() : hereMs;
  const findings = [fine('database', `${storage.dialect === 'sqlite' ? database.sqlitePath : 'PostgreSQL'} answers.`)];
  if (storage.dialect === 'postgres') findings.push(...(await checkPostgres(storage, database, nowMs)));
  else if (!isQuick) findings.push(await checkFile(storage));
  const schema = await checkSchema(storage);
  findings.push(schema);
  if (schema.level === 'fault' || !storage.has('thread')) return findings;
  findings.push(await checkInstances(storage, nowMs), ...(await checkQueues(storage, nowMs)));
  findings.push(await checkNotices(storage));
  if (!isQuick) findings.push(...(await checkRows(storage, nowMs)));
  return findings;
}

function unreachable(error: unknown, { database }: AppConfig): Finding {
  const { message, cause } = error as Error & { cause?: Error };
  const isExplained = error instanceof DomainError && error.code === 'storage_unusable';
  const said = [message, isExplained ? '' : cause?.message].filter(Boolean).join(' ');
  if (database.url === null) {
    return fault('database', `${database.sqlitePath}: ${said}`, 'If it is damaged: stop the server, restore a backup.');
  }
  return fault('database', `PostgreSQL: ${said}`, 'Is it running, and is DATABASE_URL right?');
}
