import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../common/error-code.js';

/** As in `Content-Encoding`; null for uncompressed. */
export type Encoding = 'br' | 'gzip' | null;

/** A file of the page as it is sent. */
export interface PageFile {
  bytes: Buffer;
  type: string;
  encoding: Encoding;
  etag: string;
}

const ENDINGS: Readonly<Record<NonNullable<Encoding>, string>> = { br: '.br', gzip: '.gz' };
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG']);
/** Names from the build. Excludes paths to other folders and direct requests for compressed files. */
const NAME = /^(?:assets\/)?[\w-][\w.-]*\.(\w+)$/;
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
};

/** The built page's folder, with compressed forms next to each file. */
export class PageFiles {
  constructor(private readonly folder: string) {}

  /**
   * The file in the first accepted encoding that exists; null if there is none of this name.
   * @param accepted in order of preference
   */
  async find(name: string, accepted: readonly Encoding[]): Promise<PageFile | null> {
    const type = TYPES[NAME.exec(name)?.[1] ?? ''];
    if (type === undefined) return null;
    for (const encoding of accepted) {
      const bytes = await this.read(name + (encoding === null ? '' : ENDINGS[encoding]));
      if (bytes !== null) return pageFile(bytes, type, encoding);
    }
    return null;
  }

  private async read(name: string): Promise<Buffer | null> {
    try {
      return await readFile(path.join(this.folder, name));
    } catch (error) {
      if (ABSENT.has(errorCode(error) ?? '')) return null;
      throw error;
    }
  }
}

/** Each compressed form has its own ETag, because its bytes differ. */
export function pageFile(bytes: Buffer, type: string, encoding: Encoding): PageFile {
  return { bytes, type, encoding, etag: `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"` };
}
