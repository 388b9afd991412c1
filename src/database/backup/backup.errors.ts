import { DomainError } from '../../common/domain-error.js';

export function unusableBackup(file: string, why: string): DomainError {
  return new DomainError('invalid', 'backup_unusable', `${file} cannot be used: ${why}. Nothing was changed.`);
}

export function storageNotEmpty(): DomainError {
  const message = 'The storage is not empty; --force replaces its data. Nothing was changed.';
  return new DomainError('conflict', 'storage_not_empty', message);
}

export function storageInUse(why: string): DomainError {
  return new DomainError('conflict', 'storage_in_use', `The storage is in use: ${why}. Nothing was changed.`);
}
