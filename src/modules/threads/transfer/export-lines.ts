import { hash } from 'node:crypto';
import { DomainError } from '../../../common/domain-error.js';
import { VERSION } from '../../../common/version.js';

/** Increase it when the same columns mean something else, and handle older files in `transfer`. */
export const EXPORT_FORMAT = 1;

/** The end of each line: a digest of the line and of the previous digest. */
const CHECK = /,"check":"([\w-]{22})"\}$/;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const CHECK_LENGTH = ',"check":""}'.length + 22;

export interface ExportHeader {
  waystation_export: number;
  version: string;
}

/** Writes the lines of an export, each with a check that depends on all lines before it. */
export class ExportWriter {
  private check = '';
  private rows = 0;

  begin(): string {
    const header: ExportHeader = { waystation_export: EXPORT_FORMAT, version: VERSION };
    return this.line(header);
  }

  row(table: string, row: object): string {
    this.rows += 1;
    return this.line({ [table]: row });
  }

  end(): string {
    return this.line({ end: { rows: this.rows } });
  }

  private line(value: object): string {
    const text = JSON.stringify(value).slice(0, -1);
    this.check = checkOf(this.check, text);
    return `${text},"check":"${this.check}"}\n`;
  }
}

export interface ExportedRow {
  table: string;
  members: Record<string, unknown>;
}

/**
 * Reads the lines of an export and refuses anything else: a changed, lost, added or moved line, a later format, and a file without its end.
 * Errors name the line.
 */
export class ExportReader {
  /** The current line, from 1. */
  line = 0;
  private check = '';
  private rows = 0;

  constructor(private readonly lines: AsyncIterator<Buffer>) {}

  /** Reads the first line. @throws DomainError `invalid` */
  async begin(): Promise<void> {
    const bytes = await this.next();
    if (bytes === null) throw this.fault('The file is empty.');
    const header = this.parse(this.textOf(bytes)) as Partial<ExportHeader> | null;
    const format = header?.waystation_export;
    if (typeof format !== 'number') throw this.fault('The file is not an export of a thread.');
    if (format !== EXPORT_FORMAT) {
      const by = typeof header?.version === 'string' ? ` Version ${header.version.slice(0, 40)} wrote it.` : '';
      throw this.fault(`The file has the format ${format}, this server reads ${EXPORT_FORMAT}.${by}`);
    }
    this.verify(bytes);
  }

  /** The next row; null at the end of a complete file. @throws DomainError `invalid` */
  async row(): Promise<ExportedRow | null> {
    const bytes = await this.next();
    if (bytes === null) throw this.fault('The file ends here, before its last line: it was cut off.');
    const value = this.parse(this.verify(bytes)) as Record<string, unknown>;
    const [table] = Object.keys(value);
    const members = table === undefined ? null : value[table];
    if (table === undefined || !isObject(members)) throw this.fault('This is not a row of a thread.');
    if (table !== 'end') {
      this.rows += 1;
      return { table, members };
    }
    if (members.rows !== this.rows)
      throw this.fault(`The file has ${this.rows} rows, which is not the number in its last line.`);
    if ((await this.next()) !== null) throw this.fault('The file continues after its last line.');
    return null;
  }

  /** An error for the last line read. */
  fault(detail: string): DomainError {
    const path = `line ${this.line}`;
    return new DomainError('invalid', 'invalid_export', `Line ${this.line}: ${detail}`, { errors: [{ path, detail }] });
  }

  private async next(): Promise<Buffer | null> {
    this.line += 1;
    const { value, done } = await this.lines.next();
    return done ? null : value;
  }

  private verify(bytes: Buffer): string {
    const text = this.textOf(bytes);
    const found = CHECK.exec(text.slice(-CHECK_LENGTH))?.[1];
    const checked = text.slice(0, -CHECK_LENGTH);
    if (found === undefined || checkOf(this.check, checked) !== found) {
      throw this.fault('This line does not have its checksum: it was changed, or lines before it are missing.');
    }
    this.check = found;
    return `${checked}}`;
  }

  private textOf(bytes: Buffer): string {
    try {
      return UTF8.decode(bytes);
    } catch {
      throw this.fault('This is not UTF-8.');
    }
  }

  private parse(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw this.fault('This is not JSON.');
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function checkOf(before: string, text: string): string {
  return hash('sha256', before + text, 'base64url').slice(0, 22);
}
